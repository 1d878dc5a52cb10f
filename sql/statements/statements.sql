-- These keep what the provider said of days: each statement that was read. The last statement of a day counts.

-- rows::read_statement() takes these columns.
-- columns statement_columns
id, day, source, network, digest, reading, read_at, read_by, header_money, rows, matched, others, findings, replaced,
(SELECT max(id) FROM statements AS s WHERE s.day = statements.day)

-- statement statements_by_digest
SELECT {statement_columns} FROM statements WHERE digest = ?1 AND reading = ?2 ORDER BY id DESC

-- A page goes on before the id ?1. ?2 is the source: NULL for all statements, empty for all that are about whole days.
-- statement statements_before
SELECT {statement_columns} FROM statements
    WHERE id < coalesce(CAST(?1 AS bigint), 9223372036854775807)
    AND (CAST(?2 AS text) IS NULL OR source = ?2 OR (?2 = '' AND source <> 'status'))
    ORDER BY id DESC LIMIT ?3

-- statement insert_statement
INSERT INTO statements (day, source, network, digest, reading, read_at, read_by, header_money, rows, matched, others,
    findings, replaced)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, (SELECT max(id) FROM statements WHERE day = ?1))
    RETURNING id, replaced
