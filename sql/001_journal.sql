-- The journal of the sales gateway. Never edited once released: a change is a further numbered file.
-- States are words; times are milliseconds since 1970 in UTC; amounts are cents. The views at the end read more easily.
-- A column marked "sealed" holds text where the gateway has no key file, and else a BLOB that opens only with its key.

-- A sale as it stands, with its attempts and its story in it: one row is all that a step of a sale writes.
CREATE TABLE sales (
    n               INTEGER PRIMARY KEY,
    id              TEXT NOT NULL,      -- begins with the time of creation
    terminal        TEXT NOT NULL,
    key             TEXT NOT NULL,      -- the terminal's Idempotency-Key
    digest          TEXT NOT NULL,      -- SHA-256 of the body that came with it (sealed: it confirms a guess)
    family          TEXT NOT NULL,
    mode            TEXT NOT NULL,
    estabelecimento TEXT NOT NULL,
    produto         TEXT NOT NULL,
    fornecedor      TEXT NOT NULL,
    valor           INTEGER NOT NULL,
    segment         TEXT NOT NULL,
    request         TEXT,               -- the family's own fields (sealed; personal: erased after the retention)
    callback_hash   TEXT,               -- SHA-256 of the secret in the callback addresses (eSIM)
    redemption      TEXT NOT NULL,      -- what the offer said about using what was bought, for the receipt (sealed)
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    status          TEXT NOT NULL,
    settled         INTEGER NOT NULL,
    attention       TEXT NOT NULL,
    reason          TEXT,               -- JSON
    words           TEXT,               -- JSON: the provider's own words or a person's note (sealed; personal)
    facts           TEXT,               -- JSON: what the provider told besides the status (sealed)
    goods           TEXT,               -- JSON: instrucao, complemento (sealed; personal: erased after the retention)
    esim            TEXT,               -- JSON: what the callbacks told (sealed; personal: erased after the retention)
    receipts        INTEGER NOT NULL,   -- how often its receipt was printed
    -- JSON: every attempt, oldest first. idExterno, state, idTransacao; createdAt, confirmTime and cancelTime are
    -- dataHoraCliente of its calls, the latter two there from the decision to make that call on; deadline is when the
    -- state's time is over, attentionAt when a person is asked to look.
    attempts        TEXT NOT NULL,
    recorded_at     INTEGER NOT NULL,   -- when the attempts were written last: deadlines are counted from it
    -- JSON, one object a line: what happened, in order; only ever appended to, and once it is long without what is
    -- only repeated. at; attempt, which one; event: begun, solicitar, confirmar, cancelar, elapsed, callback, ...;
    -- known: what an answer was taken to mean; httpStatus: the provider's; durationMs: of the exchange; state: of the
    -- attempt, afterwards; detail.
    story           TEXT NOT NULL
);

CREATE UNIQUE INDEX sales_by_id ON sales (id);
CREATE UNIQUE INDEX sales_by_key ON sales (key, terminal);
CREATE INDEX sales_by_estabelecimento ON sales (estabelecimento, id);
-- The few that are under way, need a person or were not sold, found without looking at the many that were.
CREATE INDEX sales_open ON sales (settled) WHERE settled = 0;
CREATE INDEX sales_attention ON sales (id) WHERE attention <> 'none';
CREATE INDEX sales_not_sold ON sales (status, id) WHERE status IN ('CANCELADA', 'NEGADA');
CREATE UNIQUE INDEX sales_by_callback ON sales (callback_hash) WHERE callback_hash IS NOT NULL;

-- Every idExterno that was ever given out, and whose it is.
CREATE TABLE id_externos (
    id_externo TEXT PRIMARY KEY,
    sale       TEXT NOT NULL
) WITHOUT ROWID;

-- What a person wrote when deciding a sale by hand: the details of the "resolved" lines of its story, in order.
CREATE TABLE notes (
    n    INTEGER PRIMARY KEY,
    sale TEXT NOT NULL,
    note TEXT                           -- sealed; personal: erased after the retention
);
CREATE INDEX notes_by_sale ON notes (sale);

-- Callbacks as they came, the unusable ones too.
CREATE TABLE callbacks (
    n           INTEGER PRIMARY KEY,
    received_at INTEGER NOT NULL,
    sale        TEXT NOT NULL,
    kind        TEXT NOT NULL,          -- sale or recharge, by the address it came to
    valid       INTEGER NOT NULL,
    body        TEXT                    -- sealed; personal: erased after the retention
);
CREATE INDEX callbacks_by_sale ON callbacks (sale);

-- Keys that were cancelled before a sell with them came: none ever will.
CREATE TABLE cancelled_keys (
    terminal TEXT NOT NULL,
    key      TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (terminal, key)
) WITHOUT ROWID;

-- The access token of the last run.
CREATE TABLE token (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    access      TEXT NOT NULL,          -- sealed
    refresh     TEXT NOT NULL,          -- sealed
    obtained_at INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
);

-- How far the erasure of old personal fields has come, and what it had to leave for later.
CREATE TABLE erasure (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    done_until TEXT NOT NULL
);
INSERT INTO erasure VALUES (1, '');
CREATE TABLE erase_later (sale TEXT PRIMARY KEY) WITHOUT ROWID;

-- Every key that a value may be sealed with, by its name, never the key itself. Where values of an older key, or
-- without one, are there still, they are sealed anew with the current one, sale by sale; then the older keys leave.
CREATE TABLE sealing_keys (
    name       TEXT PRIMARY KEY,
    current    INTEGER NOT NULL,
    done_until TEXT NOT NULL            -- of the current one: up to which sale; '~': all of them
) WITHOUT ROWID;

-- For people with sqlite3 in their hands.
CREATE VIEW sales_now AS
    SELECT id, strftime('%Y-%m-%d %H:%M:%S', created_at / 1000, 'unixepoch') AS created, terminal, family, produto,
           printf('%d.%02d', valor / 100, valor % 100) AS valor, status, settled, attention,
           json_extract(reason, '$.code') AS reason
    FROM sales;
CREATE VIEW attempts AS
    SELECT sales.id AS sale, a.key + 1 AS number, a.value ->> 'idExterno' AS id_externo, a.value ->> 'state' AS state,
           a.value ->> 'idTransacao' AS id_transacao, a.value ->> 'createdAt' AS created_at,
           a.value ->> 'confirmTime' AS confirm_time, a.value ->> 'cancelTime' AS cancel_time,
           a.value ->> 'deadline' AS deadline, a.value ->> 'attentionAt' AS attention_at
    FROM sales, json_each(sales.attempts) AS a;
CREATE VIEW events AS
    SELECT sales.id AS sale, e.key + 1 AS n, e.value ->> 'at' AS at, e.value ->> 'attempt' AS attempt,
           e.value ->> 'event' AS event, e.value ->> 'known' AS known, e.value ->> 'httpStatus' AS http_status,
           e.value ->> 'durationMs' AS duration_ms, e.value ->> 'state' AS state, e.value ->> 'detail' AS detail
    FROM sales, json_each('[' || replace(story, char(10), ',') || ']') AS e;
CREATE VIEW story AS
    SELECT events.sale, n, strftime('%Y-%m-%d %H:%M:%f', events.at / 1000.0, 'unixepoch') AS at, attempts.id_externo,
           event, known, http_status, duration_ms, events.state, detail
    FROM events JOIN attempts ON attempts.sale = events.sale AND attempts.number = events.attempt;
