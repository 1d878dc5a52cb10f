-- These are the people who are signed in at a console. Each gateway reads and writes its own.

-- statement load_console_sessions
SELECT digest, session FROM console_sessions WHERE gateway = ?1

-- statement begin_console_session
INSERT INTO console_sessions (digest, gateway, session) VALUES (?1, ?2, ?3)

-- statement use_console_session
UPDATE console_sessions SET session = ?2 WHERE digest = ?1

-- statement end_console_session
DELETE FROM console_sessions WHERE digest = ?1

-- statement remove_console_sessions
DELETE FROM console_sessions
