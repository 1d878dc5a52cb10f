-- Which file this journal is, so that a copy of it that was made by hand is told from it. Nothing in it: the next start
-- writes it down.
CREATE TABLE journal_file (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    made_at     INTEGER,                -- in nanoseconds since 1970; NULL where its file system does not keep that
    inode       INTEGER NOT NULL,
    file_system INTEGER NOT NULL        -- its f_fsid
);

-- Every provider.id_prefix that an idExterno of this journal may have.
CREATE TABLE id_prefixes (
    prefix  TEXT PRIMARY KEY,
    used_at INTEGER NOT NULL            -- for the first time
) WITHOUT ROWID;
