-- A row is a person who is signed in at the console, so that a restart signs nobody out. It does not move with a copy.
CREATE TABLE console_sessions (
    digest  TEXT PRIMARY KEY,           -- SHA-256 of the secret that the browser shows
    gateway TEXT NOT NULL,              -- whose console it is, by its name; empty: the only one
    session TEXT NOT NULL               -- JSON: who, in which role, and until when (encrypted)
) WITHOUT ROWID;
CREATE INDEX console_sessions_of_gateway ON console_sessions (gateway);

-- This row says what sales-gateway copy-journal does with this journal. A gateway starts on it only if the table is
-- empty or the state is "leaving".
CREATE TABLE moving (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    state TEXT NOT NULL,                -- leaving: it is being copied; moved: it was; arriving: it is part of a copy
    copy  TEXT NOT NULL,                -- which copying it is: the other side has the same
    place TEXT NOT NULL,                -- where the other side is
    at    INTEGER NOT NULL              -- since when
);
