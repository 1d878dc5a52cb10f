-- The views for people with sqlite3 in their hands, anew: in the local time of who reads them, with the names that the
-- provider knows a sale by; and a row whose JSON was damaged or altered costs itself, and not every other row's answer.
DROP VIEW story;
DROP VIEW events;
DROP VIEW attempts;
DROP VIEW sales_now;

-- A sale a row, with the idExterno of its latest attempt.
CREATE VIEW sales_now AS
    SELECT id, strftime('%Y-%m-%d %H:%M:%S', created_at / 1000, 'unixepoch', 'localtime') AS created, terminal,
           family, produto, printf('%d.%02d', valor / 100, valor % 100) AS valor, status, settled, attention,
           CASE WHEN json_valid(reason) THEN json_extract(reason, '$.code') END AS reason,
           CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idExterno') END AS id_externo,
           CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idTransacao') END AS id_transacao,
           estabelecimento
    FROM sales;

-- The rows of these two are numbers, for further questions: times are milliseconds since 1970 in UTC.
CREATE VIEW attempts AS
    SELECT sales.id AS sale, a.key + 1 AS number, a.value ->> 'idExterno' AS id_externo, a.value ->> 'state' AS state,
           a.value ->> 'idTransacao' AS id_transacao, a.value ->> 'createdAt' AS created_at,
           a.value ->> 'confirmTime' AS confirm_time, a.value ->> 'cancelTime' AS cancel_time,
           a.value ->> 'deadline' AS deadline, a.value ->> 'attentionAt' AS attention_at
    FROM sales, json_each(CASE WHEN json_valid(sales.attempts) THEN sales.attempts ELSE '[]' END) AS a
    WHERE a.type = 'object';

-- A story that cannot be read has one event, "unreadable".
CREATE VIEW events AS
    SELECT sales.id AS sale, e.key + 1 AS n, e.value ->> 'at' AS at, e.value ->> 'attempt' AS attempt,
           e.value ->> 'event' AS event, e.value ->> 'known' AS known, e.value ->> 'httpStatus' AS http_status,
           e.value ->> 'durationMs' AS duration_ms, e.value ->> 'state' AS state, e.value ->> 'detail' AS detail,
           e.value ->> 'tries' AS tries, e.value ->> 'mark' AS mark, e.value ->> 'by' AS decided_by
    FROM sales,
         json_each(CASE WHEN json_valid('[' || replace(story, char(10), ',') || ']')
                        THEN '[' || replace(story, char(10), ',') || ']'
                        ELSE '[{"event":"unreadable"}]' END) AS e
    WHERE e.type = 'object';

-- What happened to each sale, event by event, with the terminal that asked for it and the idExterno that it is about.
CREATE VIEW story AS
    SELECT events.sale, events.n, strftime('%Y-%m-%d %H:%M:%f', events.at / 1000.0, 'unixepoch', 'localtime') AS at,
           CASE WHEN json_valid(sales.attempts)
                THEN json_extract(sales.attempts, '$[' || max(CAST(events.attempt AS INTEGER) - 1, 0) || '].idExterno')
           END AS id_externo,
           event, known, http_status, duration_ms, state, detail, mark, decided_by, sales.terminal
    FROM events JOIN sales ON sales.id = events.sale;
