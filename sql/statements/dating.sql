-- These give movement days to the sales of an earlier version.

-- Tells down to which sale the sales have their days, and which sale is the newest.
-- statement dated_down_to
SELECT (SELECT done_down_to FROM dating), (SELECT coalesce(max(n), 0) FROM sales)

-- statement next_to_date
SELECT n, id, estabelecimento, status, updated_at, story, facts, CASE WHEN day IS NULL THEN 0 ELSE 1 END FROM sales
    WHERE n < ?1 ORDER BY n DESC LIMIT ?2

-- statement date_sale
UPDATE sales SET day = ?2, late_day = ?3 WHERE n = ?1 AND day IS NULL

-- statement set_dated_down_to
INSERT INTO dating VALUES (1, ?1) ON CONFLICT (one) DO UPDATE SET done_down_to = excluded.done_down_to
