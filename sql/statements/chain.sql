-- Several gateways that share a journal need these besides. Only PostgreSQL has the tables for them.

-- statement free_key
DELETE FROM keys WHERE terminal = ?1 AND key = ?2 AND sale = ?3

-- columns dead
NOT EXISTS (SELECT 1 FROM gateways WHERE run = duty.run AND ended = 0)

-- statement take_duty
UPDATE duty SET run = ?1 WHERE (run = ?1 OR {dead})
    AND EXISTS (SELECT 1 FROM gateways WHERE run = ?1 AND ended = 0)

-- This waits for no job of the gateway on duty: what such a job holds is this run's already.
-- statement inherit_duty
UPDATE duty SET run = ?1 WHERE run <> ?1 AND {dead}
    AND EXISTS (SELECT 1 FROM gateways WHERE run = ?1 AND ended = 0)

-- statement is_on_duty
SELECT 1 FROM duty WHERE run = ?1

-- statement run_is_over
SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM gateways WHERE run = ?1 AND ended = 0)

-- A call that ended unknown may have made the row already.
-- statement meet_run
UPDATE gateways SET renewals = renewals + 1 WHERE run = ?1 RETURNING ended

-- statement renew_run
UPDATE gateways SET renewals = renewals + 1 WHERE run = ?1 AND ended = 0

-- The counters are told once the commit that has read them is done: a counter that a promotion takes back, and that
-- comes to where it was, would seem to stand still.
-- statement living_runs
SELECT run, renewals, name, file, provider, key_name, rules FROM gateways WHERE ended = 0

-- statement enter_run
INSERT INTO gateways (run, name, began_at, provider, key_name, rules, file) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)

-- statement end_run
UPDATE gateways SET ended = 1 WHERE run = ?1 AND ended = 0

-- statement end_run_that_stands
UPDATE gateways SET ended = 1 WHERE run = ?1 AND renewals = ?2 AND ended = 0

-- statement forget_runs
DELETE FROM gateways WHERE run <> ?1 AND ended = 1 AND (file = ?2 OR (file = '' AND name = ?3))

-- Gives the gateway and the file of a run of which requests may yet be sent: no later run of its file has begun.
-- statement sender
SELECT name, file FROM gateways AS g WHERE run = ?1 AND NOT EXISTS
    (SELECT 1 FROM gateways AS later
     WHERE later.number > g.number AND later.file = g.file AND (g.file <> '' OR later.name = g.name))

-- statement insert_forwarded_command
INSERT INTO forwarded_commands (sale, attempt, event, request_id, forwarded_at) VALUES (?1, ?2, ?3, ?4, ?5)
    RETURNING number

-- statement tell_of_command
SELECT pg_notify('sales_gateway_commands', ?1)

-- statement commands_for_run
SELECT forwarded_commands.number, forwarded_commands.sale, forwarded_commands.attempt, forwarded_commands.event,
    forwarded_commands.request_id FROM forwarded_commands, sales
    WHERE sales.id = forwarded_commands.sale AND (sales.owner IN (?1, '')
        OR NOT EXISTS (SELECT 1 FROM gateways WHERE run = sales.owner AND ended = 0))
    ORDER BY forwarded_commands.number

-- statement command_waits
SELECT 1 FROM forwarded_commands WHERE number = ?1

-- statement remove_command
DELETE FROM forwarded_commands WHERE number = ?1

-- The token is one for all, and so is the turn to ask for a new one, by the server's clock, which is one for all, too.
-- statement shared_token
SELECT access, refresh, obtained_at, expires_at, owner, number, CASE WHEN access IS NULL THEN 0 ELSE 1 END FROM token

-- statement save_shared_token
UPDATE token SET access = ?1, refresh = ?2, obtained_at = ?3, expires_at = ?4, owner = ?5, number = number + 1
    WHERE number = ?6 RETURNING number

-- statement claim_token_turn
UPDATE token SET asked_by = ?1, asked_until = clock_timestamp() + interval '30 seconds' WHERE number = ?2
    AND (asked_by = ?1 OR asked_until < clock_timestamp()
        OR NOT EXISTS (SELECT 1 FROM gateways WHERE run = asked_by AND ended = 0))

-- statement end_token_turn
UPDATE token SET asked_by = '', asked_until = '-infinity' WHERE asked_by = ?1

-- These count commits, and mark the journal as restored. Every counted commit changes this table first: those under way
-- are waited for, and those to come wait.
-- statement lock_commits
LOCK TABLE commits IN EXCLUSIVE MODE

-- Also tells which server answers. If a URL has several hosts, that is not always the one that is meant.
-- statement epoch
SELECT journal, number, lost_by, lost_at, coalesce(host(inet_server_addr()) || ':' || inet_server_port(),
    'port ' || current_setting('port') || ' of this machine') FROM epoch

-- statement commits_of
SELECT connection, made FROM commits WHERE gateway = ?1

-- statement begin_counting
INSERT INTO commits (gateway, connection, made) VALUES (?1, ?2, 0) ON CONFLICT (gateway, connection) DO NOTHING

-- statement note_loss
UPDATE epoch SET lost_by = ?1, lost_at = ?2 WHERE number = ?3 AND lost_by = ''

-- The new number is later than every epoch that a gateway may remember, as those were times too.
-- statement begin_epoch
UPDATE epoch SET number = greatest(number + 1, ?1), lost_by = '', lost_at = NULL

-- statement end_all_runs
UPDATE gateways SET ended = 1 WHERE ended = 0

-- Whatever a gateway yet wants to record of one of these sales finds another term.
-- statement free_open_sales
UPDATE sales SET owner = '', term = term + 1 WHERE settled = 0

-- statement count_sales
SELECT count(*), count(*) FILTER (WHERE settled = 0),
    count(*) FILTER (WHERE settled = 0 AND status IN ('PENDENTE', 'AUTORIZADA')), (SELECT lost_by FROM epoch)
    FROM sales

-- Only the latest run of a name may live.
-- statement latest_runs
SELECT DISTINCT ON (name) name, run, renewals, ended, began_at,
    (SELECT count(*) FROM sales WHERE settled = 0 AND owner = run) FROM gateways ORDER BY name, number DESC

-- statement waiting_sales
SELECT taken_from, id FROM sales WHERE taken_from IS NOT NULL ORDER BY id

-- statement forget_ended
DELETE FROM gateways WHERE name = ?1 AND ended = 1

-- statement forget_console_sessions
DELETE FROM console_sessions WHERE gateway = ?1
    AND NOT EXISTS (SELECT 1 FROM gateways WHERE name = ?1 AND ended = 0)
