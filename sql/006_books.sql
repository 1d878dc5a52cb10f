-- The books of a day: which day each sale belongs to, and the closes.

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
