-- These are for the keys of terminals, and for the idExternos of attempts.

-- statement key_of_sale
SELECT id, n FROM sales WHERE terminal = ?1 AND key = ?2
-- on postgresql
SELECT sale, coalesce((SELECT n FROM sales WHERE id = keys.sale), 0) FROM keys
    WHERE key = ?2 AND terminal = ?1 AND sale IS NOT NULL

-- statement cancelled_key
SELECT 1 FROM cancelled_keys WHERE terminal = ?1 AND key = ?2

-- statement cancel_key
INSERT INTO cancelled_keys VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING

-- statement owner_of_attempt
SELECT sale FROM id_externos WHERE id_externo = ?1

-- A journal that had sales before its first prefix has ids without one. The journal does not know when prefixes stopped
-- being used: without a prefix nobody asks whose an id is.
-- statement id_prefixes
SELECT prefix FROM id_prefixes
UNION ALL
SELECT '' WHERE NOT EXISTS (SELECT 1 FROM id_prefixes)
    OR (SELECT created_at FROM sales ORDER BY n LIMIT 1) < (SELECT min(used_at) FROM id_prefixes)

-- statement knows_prefix
SELECT 1 FROM id_prefixes WHERE prefix = ?1

-- statement note_prefix
INSERT INTO id_prefixes (prefix, used_at) VALUES (?1, ?2) ON CONFLICT (prefix) DO NOTHING

-- Takes the key for the sale ?3, unless it is taken already. Gives the sale that has the key after this, or NULL if the
-- key is cancelled. On SQLite it only reads, so that a sale that has the key is known on a full disk, too. The second
-- column is 1 where the erasure may have passed the id of this sale, as it has after a clock that was ahead. On
-- PostgreSQL it is always 1, because another gateway may be erasing meanwhile.
-- statement take_key
SELECT CASE WHEN EXISTS (SELECT 1 FROM cancelled_keys WHERE terminal = ?1 AND key = ?2) THEN NULL
    ELSE coalesce((SELECT id FROM sales WHERE terminal = ?1 AND key = ?2), ?3) END,
    (SELECT count(*) FROM erasure WHERE done_until >= ?3)
-- on postgresql
INSERT INTO keys AS k (terminal, key, sale) VALUES (?1, ?2, ?3)
    ON CONFLICT (key, terminal) DO UPDATE SET met = k.met + 1 RETURNING sale, 1
