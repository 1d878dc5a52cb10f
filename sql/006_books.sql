-- The books of a day: which day each sale belongs to, the closes, and what the provider says of it.

-- The movement day ("2026-11-20", in store.timezone), from when the status is final on.
ALTER TABLE sales ADD COLUMN day TEXT;
-- Of a sale whose day was closed already when it was given it: the later day in whose close it is.
ALTER TABLE sales ADD COLUMN late_day TEXT;
CREATE INDEX sales_of_day ON sales (day, estabelecimento, id) WHERE day IS NOT NULL;
CREATE INDEX sales_of_late_day ON sales (late_day, estabelecimento, id) WHERE late_day IS NOT NULL;

-- Sales that became final by an earlier version have no day yet. They are given theirs in the background, the newest
-- first: down to which sale, by its n, they have it; 0: all of them.
CREATE TABLE dating (
    one          INTEGER PRIMARY KEY CHECK (one = 1),
    done_down_to INTEGER NOT NULL
);
INSERT INTO dating SELECT 1, coalesce(max(n) + 1, 0) FROM sales;

-- The closes: what a day of an establishment came to, once and for all. From when its row is there on, no sale joins
-- the day any more. Never changed afterwards, but for the two columns that begin empty.
CREATE TABLE closes (
    estabelecimento TEXT NOT NULL,
    series          INTEGER NOT NULL,   -- 1, and one more for every copy that was restored
    number          INTEGER NOT NULL,   -- from 1 without a gap, whatever the series
    day             TEXT NOT NULL,
    made_at         INTEGER NOT NULL,
    made_by         TEXT NOT NULL,      -- who asked for it; empty: nobody, at close.at
    open            TEXT NOT NULL,      -- JSON: what was not final then. id, idExterno, family, valor, status
    totals          TEXT,               -- JSON: what it came to; NULL: not summed up yet
    digest          TEXT,               -- SHA-256 over the sales in it and the close before; NULL likewise
    PRIMARY KEY (estabelecimento, number, series)
) WITHOUT ROWID;
CREATE UNIQUE INDEX closes_by_day ON closes (estabelecimento, day);
CREATE INDEX closes_newest ON closes (day, estabelecimento);
CREATE INDEX closes_unfinished ON closes (day, estabelecimento) WHERE digest IS NULL;

-- The series of the closes to come. A copy that was restored cannot know which numbers were given since it was made.
CREATE TABLE close_series (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    series INTEGER NOT NULL
);
INSERT INTO close_series VALUES (1, 1);

-- What the provider said of days: every statement that was read. Of a day the last one counts.
CREATE TABLE statements (
    id           INTEGER PRIMARY KEY,
    day          TEXT NOT NULL,
    source       TEXT NOT NULL,         -- file, folder or list
    network      TEXT NOT NULL,         -- as its header has it; empty: none
    digest       TEXT NOT NULL,         -- SHA-256 of its bytes
    reading      TEXT NOT NULL,         -- the same of how they were read
    read_at      INTEGER NOT NULL,
    read_by      TEXT NOT NULL,         -- who brought it; empty: nobody
    header_money TEXT NOT NULL,         -- the unit of its header's total; empty: not known
    rows         INTEGER NOT NULL,
    matched      INTEGER NOT NULL,      -- of these: both sides say the same
    others       INTEGER NOT NULL,      -- of these: not this gateway's, or not sold
    findings     INTEGER NOT NULL,
    replaced     INTEGER                -- the statement that counted until then
);
CREATE INDEX statements_by_digest ON statements (digest);
CREATE INDEX statements_by_day ON statements (day, id);

-- What does not agree. The same disagreement of a day is one row, whichever of the day's statements says it.
CREATE TABLE findings (
    number          INTEGER PRIMARY KEY,
    statement       INTEGER NOT NULL,   -- the last one that says it
    day             TEXT NOT NULL,
    kind            TEXT NOT NULL,
    subject         TEXT NOT NULL,      -- the attempt that it is about, by the first id that there is; empty: the day
    sale            TEXT,
    id_externo      TEXT NOT NULL,
    id_transacao    TEXT NOT NULL,
    nsu             TEXT NOT NULL,
    estabelecimento TEXT NOT NULL,
    our_valor       INTEGER,
    our_status      TEXT,
    their_valor     INTEGER,
    their_status    TEXT,
    line            INTEGER NOT NULL,   -- of the statement; 0: none
    detail          TEXT NOT NULL,
    asks            TEXT NOT NULL,      -- what should be done
    pending         INTEGER NOT NULL,   -- 1: the gateway does it by itself, and has not yet
    effect          TEXT NOT NULL,      -- what came of that
    opened_at       INTEGER NOT NULL,
    closed_at       INTEGER,
    closed_as       TEXT,               -- resolved, by a person; corrected, by a later statement; settled; other_day
    closed_by       TEXT,
    note            TEXT                -- sealed; personal: erased after the retention
);
CREATE UNIQUE INDEX findings_of_day ON findings (day, kind, subject);
CREATE INDEX findings_by_statement ON findings (statement, number);
CREATE INDEX findings_open ON findings (number) WHERE closed_at IS NULL;
CREATE INDEX findings_open_by_kind ON findings (kind, subject) WHERE closed_at IS NULL;
CREATE INDEX findings_pending ON findings (number) WHERE pending = 1;
CREATE INDEX findings_by_sale ON findings (sale) WHERE sale IS NOT NULL;
CREATE INDEX findings_with_note ON findings (closed_at) WHERE note IS NOT NULL;

-- For people with sqlite3 in their hands: the day of each sale, and the sales of a day. Times are in the local time of
-- who reads them; days are the store's.
DROP VIEW sales_now;
CREATE VIEW sales_now AS
    SELECT id, strftime('%Y-%m-%d %H:%M:%S', created_at / 1000, 'unixepoch', 'localtime') AS created, terminal,
           family, produto, printf('%d.%02d', valor / 100, valor % 100) AS valor, status, settled, attention,
           CASE WHEN json_valid(reason) THEN json_extract(reason, '$.code') END AS reason,
           CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idExterno') END AS id_externo,
           CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idTransacao') END AS id_transacao,
           estabelecimento, day
    FROM sales;
CREATE VIEW sales_by_day AS
    SELECT day, late_day, estabelecimento,
           strftime('%Y-%m-%d %H:%M:%S', created_at / 1000, 'unixepoch', 'localtime') AS created, terminal, family,
           produto, printf('%d.%02d', valor / 100, valor % 100) AS valor, status,
           CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idExterno') END AS id_externo,
           CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idTransacao') END AS id_transacao, id
    FROM sales WHERE day IS NOT NULL;
