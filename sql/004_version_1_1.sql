-- Which file this journal is, so that a copy of it that was made by hand is told from it. Nothing in it: the next start
-- writes it down.
CREATE TABLE journal_file (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    made_at     INTEGER,                -- in nanoseconds since 1970; NULL where its file system does not keep that
    inode       INTEGER NOT NULL,
    file_system INTEGER NOT NULL        -- its f_fsid
);

-- Who stood at the till (sealed; personal: erased after the retention, for it names a person).
ALTER TABLE sales ADD COLUMN cashier TEXT;

-- What a possible duplicate is known by, where the gateway looks for them: an HMAC-SHA-256, in hex, over what is sold
-- for how much, by which establishment and to which card or cpf, under the key below, so that nobody finds a number by
-- trying all of them (personal all the same: erased after the retention).
ALTER TABLE sales ADD COLUMN duplicate_hash TEXT;
CREATE INDEX sales_by_duplicate_hash ON sales (duplicate_hash, created_at) WHERE duplicate_hash IS NOT NULL;
CREATE TABLE duplicate_key (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    key TEXT NOT NULL                   -- sealed; made by the journal for itself
);

-- Every provider.id_prefix that an idExterno of this journal may have.
CREATE TABLE id_prefixes (
    prefix  TEXT PRIMARY KEY,
    used_at INTEGER NOT NULL            -- for the first time
) WITHOUT ROWID;
