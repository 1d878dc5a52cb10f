-- These give the final sales of days and of closes, in pages.

-- columns of_day_sale
id, terminal, cashier, estabelecimento, produto, family, valor, status, day, late_day, attempts, n, reason

-- statement sales_of_day
SELECT {of_day_sale} FROM sales /*+ INDEXED BY sales_of_day */
    WHERE day = ?1 AND (estabelecimento, id) > (?2, ?3) ORDER BY estabelecimento, id LIMIT ?4

-- statement sales_of_establishments_day
SELECT {of_day_sale} FROM sales /*+ INDEXED BY sales_of_day */
    WHERE day = ?1 AND estabelecimento = ?2 AND id > ?3 ORDER BY id LIMIT ?4

-- A close has the day's own sales, and those that came too late for the close of an earlier day.
-- statement sales_of_close
SELECT {of_day_sale} FROM sales /*+ INDEXED BY sales_of_day */
    WHERE day = ?1 AND estabelecimento = ?2 AND id > ?3 AND late_day IS NULL
UNION ALL
SELECT {of_day_sale} FROM sales /*+ INDEXED BY sales_of_late_day */
    WHERE late_day = ?1 AND estabelecimento = ?2 AND id > ?3
ORDER BY id LIMIT ?4
