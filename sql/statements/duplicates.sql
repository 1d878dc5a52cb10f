-- These find the sales that a new one may be a duplicate of, and keep the key of the hash that finds them.

-- statement duplicates_of
SELECT id, n FROM sales WHERE duplicate_hash = ?1 AND created_at BETWEEN ?2 AND ?3 AND id <> ?4
    AND status NOT IN ('CANCELADA', 'NEGADA') ORDER BY created_at DESC

-- statement duplicate_key
SELECT key FROM duplicate_key

-- Gives the key that is stored after this: if another program has made one meanwhile, that one stays. If ?2 is 1, the
-- key that is there cannot be read, and is replaced.
-- statement make_duplicate_key
INSERT INTO duplicate_key VALUES (1, ?1)
    ON CONFLICT (one) DO UPDATE SET key = CASE WHEN ?2 = 1 THEN excluded.key ELSE duplicate_key.key END RETURNING key
