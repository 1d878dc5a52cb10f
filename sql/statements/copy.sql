-- copy-journal asks this of a journal besides its rows. All but the first statement are for PostgreSQL.

-- statement is_used
SELECT CASE WHEN EXISTS (SELECT 1 FROM sales) OR EXISTS (SELECT 1 FROM id_externos)
        OR EXISTS (SELECT 1 FROM cancelled_keys) OR EXISTS (SELECT 1 FROM notes) OR EXISTS (SELECT 1 FROM callbacks)
        OR EXISTS (SELECT 1 FROM closes) OR EXISTS (SELECT 1 FROM statements) OR EXISTS (SELECT 1 FROM findings)
    THEN 1 ELSE 0 END

-- statement has_journal
SELECT CASE WHEN to_regclass('journal_migrations') IS NULL THEN 0 ELSE 1 END

-- statement bytes_of_database
SELECT pg_database_size(current_database())

-- Tells the largest number that each column of less than 64 bits can hold.
-- statement narrow_columns
SELECT table_name || '.' || column_name, CASE data_type WHEN 'smallint' THEN 32767 ELSE 2147483647 END
    FROM information_schema.columns
    WHERE table_schema = current_schema() AND data_type IN ('smallint', 'integer')

-- The transaction is open as long as the other place is read or written.
-- statement be_patient
SELECT set_config('idle_in_transaction_session_timeout', '1800000', true), set_config('lock_timeout', '15000', true)

-- statement hold_runs
SELECT pg_advisory_xact_lock(hashtextextended('gateways', 0))

-- statement tables_of_journal
SELECT quote_ident(tablename) FROM pg_tables
    WHERE schemaname = current_schema() AND tablename NOT IN ('moving', 'journal_migrations') ORDER BY 1

-- statement lock_commits_alone
LOCK TABLE commits IN ACCESS EXCLUSIVE MODE

-- statement open_runs
SELECT run, renewals, name FROM gateways WHERE ended = 0

-- statement end_open_run
UPDATE gateways SET ended = 1 WHERE run = ?1 AND renewals = ?2

-- Tells which gateway owned sales and did not give them back.
-- statement sales_of_dead
SELECT coalesce((SELECT name FROM gateways WHERE run = owner), owner), count(*) FROM sales
    WHERE settled = 0 AND owner <> '' GROUP BY 1 ORDER BY 2 DESC LIMIT 1

-- statement sales_that_wait
SELECT note ->> 'gateway', count(*) FROM sales, jsonb_array_elements(CAST(taken_from AS jsonb)) AS note
    WHERE taken_from IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 1

-- statement commands_that_wait
SELECT count(*) FROM forwarded_commands

-- Each sale must have its key, and each key that is not cancelled must have its sale.
-- statement sales_without_key
SELECT count(*) FROM sales AS s WHERE NOT EXISTS
    (SELECT 1 FROM keys AS k WHERE k.key = s.key AND k.terminal = s.terminal AND k.sale = s.id)

-- statement keys_without_sale
SELECT count(*) FROM keys AS k WHERE sale IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM sales AS s WHERE s.id = k.sale AND s.key = k.key AND s.terminal = k.terminal)

-- statement add_keys_of_sales
INSERT INTO keys (terminal, key, sale) SELECT terminal, key, id FROM sales WHERE n BETWEEN ?1 AND ?2

-- statement clear_keys
DELETE FROM keys

-- The row is always there, because gateways agree by it on who asks for a token.
-- statement add_row_of_token
INSERT INTO token (one) VALUES (1) ON CONFLICT (one) DO NOTHING

-- New numbers follow those that have arrived.
-- statement go_on_counting
SELECT (SELECT setval(pg_get_serial_sequence('sales', 'n'), nullif(greatest(max(n), 0), 0)) FROM sales),
    (SELECT setval(pg_get_serial_sequence('notes', 'n'), nullif(greatest(max(n), 0), 0)) FROM notes),
    (SELECT setval(pg_get_serial_sequence('callbacks', 'n'), nullif(greatest(max(n), 0), 0)) FROM callbacks),
    (SELECT setval(pg_get_serial_sequence('statements', 'id'), nullif(greatest(max(id), 0), 0)) FROM statements),
    (SELECT setval(pg_get_serial_sequence('findings', 'number'), nullif(greatest(max(number), 0), 0)) FROM findings)

-- Without this, a gateway's first queries go through all rows.
-- statement count_rows
ANALYZE sales, keys, id_externos, notes, callbacks, closes, statements, findings

-- Changes nothing if the journal is not being copied, or if a gateway has begun on it since.
-- statement mark_as_moved
UPDATE moving SET state = 'moved', at = ?2 WHERE copy = ?1 AND state = 'leaving'

-- After this no commit is counted, not even by a gateway that stood still until now and does not know of it.
-- statement refuse_commits
ALTER TABLE commits ADD CONSTRAINT moved CHECK (made < 0) NOT VALID
