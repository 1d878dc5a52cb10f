-- These are for the closes, and for the series of the closes to come.

-- columns of_close
estabelecimento, series, number, day, made_at, made_by, open, totals, digest

-- statement find_close
SELECT {of_close} FROM closes WHERE estabelecimento = ?1 AND day = ?2

-- statement days_closed_since
SELECT day FROM closes WHERE estabelecimento = ?1 AND day >= ?2 ORDER BY day LIMIT ?3

-- statement close_series
SELECT series FROM close_series

-- Begins a series after all series that the journal knows. A damaged number does not count.
-- statement begin_series
INSERT INTO close_series
    SELECT 1, 1 + coalesce(CAST(max(series) AS INTEGER), 0)
    FROM (SELECT series FROM closes UNION ALL SELECT series FROM close_series) AS known
    WHERE series > 0 AND series < 2147483647
    ON CONFLICT (one) DO UPDATE SET series = excluded.series

-- Gives the greatest number of an establishment that is not damaged, and how many closes it has.
-- statement numbers_of_closes
SELECT max(CASE WHEN number < 2147483647 THEN number END), count(*) FROM closes WHERE estabelecimento = ?1

-- There are as many rows as sales under way: a close that waited until there are none would never come. A final sale
-- has a day by now, unless the dating has yet to give it one. If any other sale is without a day, its status was
-- altered.
-- statement open_of_close
SELECT id, attempts, family, valor, status FROM sales /*+ INDEXED BY sales_open */
    WHERE settled = 0 AND estabelecimento = ?1 AND (status IN ('PENDENTE', 'AUTORIZADA') OR (day IS NULL
        AND (status NOT IN ('EFETIVADA', 'CANCELADA', 'NEGADA') OR n >= (SELECT done_down_to FROM dating))))
    ORDER BY n

-- statement insert_close
INSERT INTO closes (estabelecimento, series, number, day, made_at, made_by, open) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)

-- statement finish_close
UPDATE closes SET totals = coalesce(totals, ?4), digest = coalesce(digest, ?5)
    WHERE estabelecimento = ?1 AND number = ?2 AND series = ?3

-- These are the columns of a close in a list. If ?1 is 1, the contents of the close are left out.
-- columns of_listed
estabelecimento, series, number, day, made_at, made_by, CASE WHEN ?1 = 1 THEN '[]' ELSE open END,
CASE WHEN ?1 = 0 THEN totals END, CASE WHEN ?1 = 0 THEN digest END

-- Every list selects and orders its closes like this.
-- columns that_match
day BETWEEN ?2 AND ?3 AND (CAST(?4 AS TEXT) IS NULL OR estabelecimento = ?4)
AND (CAST(?5 AS INTEGER) IS NULL OR number = ?5) AND (CAST(?6 AS INTEGER) IS NULL OR series = ?6)
ORDER BY day DESC, estabelecimento DESC LIMIT ?7

-- statement list_closes
SELECT {of_listed} FROM closes WHERE {that_match}

-- statement list_closes_of_establishment
SELECT {of_listed} FROM closes WHERE estabelecimento = ?4 AND {that_match}

-- statement list_unfinished_closes
SELECT {of_listed} FROM closes /*+ INDEXED BY closes_unfinished */ WHERE digest IS NULL AND {that_match}

-- statement first_closed_day
SELECT min(day) FROM closes WHERE estabelecimento = ?1

-- Goes from day to day by the index, however many sales a day has. The first SELECT gives no row: it only sets the
-- collation of the days.
-- statement forgotten_days
WITH RECURSIVE days (day) AS (
    SELECT day FROM closes WHERE 1 = 0
    UNION ALL
    SELECT CAST(?2 AS TEXT)
    UNION ALL
    SELECT (SELECT min(day) FROM (
        SELECT min(day) AS day FROM sales /*+ INDEXED BY sales_of_day */ WHERE day > days.day AND day < ?3
        UNION ALL
        SELECT min(late_day) FROM sales /*+ INDEXED BY sales_of_late_day */
            WHERE late_day > days.day AND late_day < ?3) AS next)
    FROM days WHERE days.day IS NOT NULL)
SELECT day FROM days WHERE day < ?3
    AND (EXISTS (SELECT 1 FROM sales /*+ INDEXED BY sales_of_day */
            WHERE sales.day = days.day AND estabelecimento = ?1 AND late_day IS NULL)
        OR EXISTS (SELECT 1 FROM sales /*+ INDEXED BY sales_of_late_day */
            WHERE late_day = days.day AND estabelecimento = ?1))
    AND NOT EXISTS (SELECT 1 FROM closes WHERE closes.day = days.day AND estabelecimento = ?1)
    ORDER BY day
