-- These erase old personal fields. encrypted_fields.hpp says what is erased of a sale.

-- The id of a sale says how far the erasure has come. A damaged value would keep it from ever beginning, so it begins
-- anew.
-- statement next_to_erase
SELECT id, settled FROM sales
    WHERE id > coalesce((SELECT done_until FROM erasure WHERE EXISTS
        (SELECT 1 FROM sales AS known WHERE known.id = erasure.done_until)), '')
    AND id < ?1 ORDER BY id LIMIT ?2

-- statement set_erased_until
INSERT INTO erasure (one, done_until) VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET done_until = excluded.done_until

-- statement erase_open_sale_later
INSERT INTO erase_later (sale, met_at) VALUES (?1, 0) ON CONFLICT DO NOTHING

-- Puts off a sale that the erasure has passed already.
-- statement erase_written_sale_later
INSERT INTO erase_later (sale, met_at)
    SELECT CAST(?1 AS TEXT), NULL FROM erasure WHERE CAST(?1 AS TEXT) <= done_until ON CONFLICT DO NOTHING

-- CROSS makes SQLite begin with the few that were put off. Left to itself, it goes through all sales.
-- statement postponed_erasure
SELECT erase_later.sale, erase_later.met_at, sales.settled FROM erase_later CROSS JOIN sales
    WHERE sales.id = erase_later.sale AND erase_later.sale > ?1 ORDER BY erase_later.sale LIMIT ?2

-- statement meet_postponed
UPDATE erase_later SET met_at = ?2 WHERE sale = ?1

-- statement erase_notes_of_no_sale
UPDATE findings SET note = NULL WHERE number IN
    (SELECT number FROM findings WHERE note IS NOT NULL AND closed_at < ?1 AND sale IS NULL LIMIT ?2)

-- These change something harmless, and change it back: SQLite writes no page whose content an update does not change,
-- and a commit without a page flushes nothing.
-- statement write_something
UPDATE erasure SET done_until = done_until || '.'

-- statement take_it_back
UPDATE erasure SET done_until = substr(done_until, 1, length(done_until) - 1)
