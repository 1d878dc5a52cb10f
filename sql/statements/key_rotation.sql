-- These keep the keys by which values are encrypted, and change from one key to another. encrypted_fields.hpp says
-- which values are encrypted.

-- statement known_keys
SELECT name FROM sealing_keys

-- statement current_key
SELECT 1 FROM sealing_keys WHERE name = ?1 AND current = 1

-- statement retire_keys
UPDATE sealing_keys SET current = 0

-- In a new journal there is nothing to encrypt anew. The end of a rotation forgets the keys before it, so one begins
-- also where only such a key is known.
-- statement begin_rotation
INSERT INTO sealing_keys (name, current, done_until)
    SELECT CAST(?1 AS TEXT), 1,
        CASE WHEN EXISTS (SELECT 1 FROM sales) OR EXISTS (SELECT 1 FROM token WHERE access IS NOT NULL)
            OR EXISTS (SELECT 1 FROM findings) OR EXISTS (SELECT 1 FROM sealing_keys WHERE name <> ?1)
            THEN '' ELSE '~' END
    WHERE 1 = 1
    ON CONFLICT (name) DO UPDATE SET current = excluded.current, done_until = excluded.done_until

-- The value is an id, or sorts after every id. Any other value would end the rotation too early, so the rotation begins
-- anew.
-- statement rotated_until
SELECT CASE WHEN done_until = '~' OR EXISTS (SELECT 1 FROM sales WHERE id = done_until) THEN done_until ELSE '' END
    FROM sealing_keys WHERE current = 1

-- statement next_to_rotate
SELECT id FROM sales WHERE id > ?1 AND id < '~' ORDER BY id LIMIT ?2

-- statement set_rotated_until
UPDATE sealing_keys SET done_until = ?1 WHERE current = 1

-- A damaged value that was left behind does not keep an older key in use: no key decrypts it.
-- statement finish_rotation
DELETE FROM sealing_keys WHERE current = 0
