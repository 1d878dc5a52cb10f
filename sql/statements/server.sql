-- A gateway asks a PostgreSQL server this, about the server itself, and before it uses the journal there.

-- statement nothing
SELECT 1

-- tell_of_command speaks on this channel.
-- statement listen_to_commands
LISTEN sales_gateway_commands

-- statement server_facts
SELECT CAST(current_setting('server_version_num') AS bigint), pg_is_in_recovery(), current_setting('fsync'),
    current_setting('full_page_writes'), current_setting('synchronous_commit'),
    current_setting('synchronous_standby_names'), current_setting('server_encoding'),
    (SELECT min(schemaname) FROM pg_tables WHERE tablename = 'journal_migrations'
        AND to_regclass('journal_migrations') IS NULL)

-- Only a longer wait counts, as every commit waits for some milliseconds. The primary itself may be among the names,
-- which are the same on all servers of a cluster.
-- statement waiting_commits
SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND usename = current_user
        AND application_name = current_setting('application_name') AND query_start < now() - interval '1 second'),
    current_setting('synchronous_standby_names'), current_setting('cluster_name')

-- Without pg_read_all_stats a user sees only the names.
-- statement connected_standbys
SELECT application_name, state, sync_state FROM pg_stat_replication
    WHERE application_name <> 'pg_basebackup' ORDER BY application_name COLLATE "C"

-- statement lock_migrations
SELECT pg_advisory_xact_lock(hashtextextended('sales-gateway migrations', 0))

-- statement look_for_tables
SELECT to_regclass('journal_migrations') IS NOT NULL,
    EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema())

-- statement make_migrations
CREATE TABLE journal_migrations (number integer PRIMARY KEY, name text NOT NULL)

-- statement last_migration
SELECT coalesce(max(number), 0) FROM journal_migrations

-- statement run_migration
SELECT pg_temp.run_migration(?1)

-- statement note_migration
INSERT INTO journal_migrations (number, name) VALUES (?1, ?2)

-- A transaction holds this lock as long as the journal is being copied.
-- statement hold_copying
SELECT pg_try_advisory_xact_lock(hashtextextended('sales-gateway copy-journal', 0))

-- statement lock_keys
LOCK TABLE sealing_keys IN SHARE ROW EXCLUSIVE MODE
