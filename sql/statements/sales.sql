-- These are for the sales.

-- Marks a sale whose row, or a value in it, cannot be read. ?1 is its number, ?2 the line for its history, ?3 whether a
-- mark that is gone comes back, and ?4 the marks that only a person takes away, each between two commas. A mark that
-- goes away by itself is replaced, because it would take the news along. While a mark that lasts is there, the news of
-- a value waits: the law may take that mark away too, and the next one who reads the sale brings the news.
-- statement mark_unreadable
UPDATE sales SET
    attention = CASE WHEN strpos(?4, ',' || attention || ',') > 0 THEN attention ELSE 'unreadable' END,
    story = CASE WHEN strpos(story, '"event":"unreadable"') > 0 THEN story ELSE story || ?2 END
    WHERE n = ?1
    AND NOT (strpos(story, '"event":"unreadable"') > 0 AND (strpos(?4, ',' || attention || ',') > 0 OR ?3 = 0))
    AND (?3 = 1 OR attention = 'unreadable' OR strpos(?4, ',' || attention || ',') = 0)

-- statement insert_sale
INSERT INTO sales (id, /*+ owner, */ terminal, key, digest, family, mode, estabelecimento, produto, fornecedor, valor,
    segment, request, callback_hash, redemption, created_at, updated_at, recorded_at, status, settled, attention,
    receipts, attempts, story, cashier, duplicate_hash)
    VALUES (?1, /*+ ?2, */ ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?17, ?18, ?19, ?20, 0,
    ?21, ?22, ?23, ?24)
    ON CONFLICT DO NOTHING

-- statement insert_attempt
INSERT INTO id_externos VALUES (?1, ?2)

-- A step of the sale ?1, which the run ?2 owns in the term ?3 and at the step ?4, changes this. There are several
-- statements because a column that is named has its index written, changed or not: few steps change settled or the
-- movement day, and many change neither the status nor the attention. Nobody owns a settled sale, ?5. A history that
-- is as long as ?12 does not get the lines ?11; NULL: it gets them however long it is. The details, ?14 and ?15, change
-- where ?13 is 1.
-- columns step
/*+ step = step + 1, owner = CASE WHEN ?5 = 1 THEN '' ELSE owner END, */ updated_at = ?6, reason = ?7, words = ?8,
    attempts = ?9, recorded_at = ?10,
    story = CASE WHEN CAST(?12 AS bigint) IS NULL OR length(story) < CAST(?12 AS bigint) THEN story || ?11
        ELSE story END,
    facts = CASE WHEN ?13 = 1 THEN ?14 ELSE facts END, goods = CASE WHEN ?13 = 1 THEN ?15 ELSE goods END

-- If ?18 is 1, a mark that the journal made itself stays. The step does not know of that mark: it has none to set, or
-- only one that goes away by itself and would take the journal's mark along.
-- columns standing
status = ?16, attention = CASE WHEN ?18 = 1 AND attention = 'unreadable' THEN attention ELSE ?17 END

-- columns owned
id = ?1 /*+ AND owner = ?2 AND term = ?3 AND step = ?4 */

-- statement record_step
UPDATE sales SET {step} WHERE {owned}

-- statement record_standing
UPDATE sales SET {step}, {standing} WHERE {owned}

-- statement record_settled
UPDATE sales SET {step}, {standing}, settled = ?5 WHERE {owned}

-- statement record_day
UPDATE sales SET {step}, {standing}, day = ?19, late_day = ?20 WHERE {owned}

-- statement record_day_and_settled
UPDATE sales SET {step}, {standing}, day = ?19, late_day = ?20, settled = ?5 WHERE {owned}

-- statement set_esim
UPDATE sales SET esim = ?2 WHERE id = ?1

-- statement insert_note
INSERT INTO notes (sale, note) VALUES (?1, ?2)

-- statement count_receipt
UPDATE sales SET receipts = receipts + 1,
    story = CASE WHEN length(story) < CAST(?3 AS bigint) THEN story || ?2 ELSE story END
    WHERE id = ?1 RETURNING receipts - 1

-- statement note_receipt
UPDATE sales SET story = story || ?2 WHERE id = ?1 AND length(story) < CAST(?3 AS bigint)

-- A sale is read from these columns, in the order of rows::read_sale().
-- columns sale
id, terminal, key, digest, family, mode, estabelecimento, produto, fornecedor, valor, segment, request, redemption,
    created_at, updated_at, status, settled, attention, reason, words, facts, goods, esim, attempts, recorded_at, n,
    cashier, day

-- statement sale_by_id
SELECT {sale} FROM sales WHERE id = ?1

-- statement sale_by_number
SELECT {sale} FROM sales WHERE n = ?1

-- statement unsettled_sales
SELECT {sale} FROM sales WHERE settled = 0 ORDER BY n

-- The status may have been altered, so a sale without a day is looked at whatever its status says.
-- statement open_sales
SELECT {sale} FROM sales /*+ INDEXED BY sales_open */ WHERE settled = 0 AND n > ?1
    AND (day IS NULL OR status IN ('PENDENTE', 'AUTORIZADA'))
    AND (CAST(?2 AS TEXT) IS NULL OR estabelecimento = ?2) ORDER BY n LIMIT ?3

-- statement history_of_sale
SELECT story, attempts FROM sales WHERE id = ?1

-- statement notes_of_sale
SELECT note FROM notes WHERE sale = ?1 ORDER BY n

-- The first character shows which kind of value the history is.
-- statement history_length
SELECT length(story), substr(story, 1, 1) FROM sales WHERE id = ?1

-- Several gateways ask for these besides. Only PostgreSQL has the columns for them.

-- statement has_sale
SELECT 1 FROM sales WHERE id = ?1

-- A begin that ended unknown has recorded the sale after all, and nothing has happened to it since.
-- statement begin_again
UPDATE sales SET term = term + 1 WHERE id = ?1 AND owner = ?2 AND step = 0 RETURNING term

-- columns owned_sale
{sale}, term, step, owner, taken_from

-- What settled the sale has freed it too: nobody else had it, so this run's own word did that.
-- statement reread_sale
UPDATE sales SET term = term + 1, owner = CASE WHEN settled = 1 THEN '' ELSE owner END
    WHERE id = ?1 AND term = ?3 AND (owner = ?2 OR (settled = 1 AND owner = '')) RETURNING {owned_sale}

-- columns of_dead
NOT EXISTS (SELECT 1 FROM gateways WHERE run = sales.owner AND ended = 0)

-- statement free_sale
SELECT {owned_sale} FROM sales WHERE id = ?2 AND owner IN ('', ?1) FOR UPDATE

-- statement is_sale_of_dead
SELECT CASE WHEN {of_dead} THEN 1 ELSE 0 END FROM sales WHERE id = ?1

-- statement free_sale_of_dead
SELECT {owned_sale} FROM sales WHERE id = ?2 AND (owner IN ('', ?1) OR {of_dead}) FOR UPDATE

-- These sales are owned by nobody, or by a run that was ended.
-- statement free_sales
SELECT {owned_sale} FROM sales WHERE settled = 0 AND owner <> ?1 AND (owner = '' OR {of_dead})
    ORDER BY n LIMIT ?2 FOR UPDATE SKIP LOCKED

-- statement is_any_free
SELECT 1 FROM sales WHERE settled = 0 AND owner <> ?1 AND (owner = '' OR {of_dead}) LIMIT 1

-- statement open_sales_of_run
SELECT id, n FROM sales WHERE settled = 0 AND owner = ?1

-- statement open_sale_of_run
SELECT {owned_sale} FROM sales WHERE n = ?2 AND settled = 0 AND owner = ?1 FOR UPDATE

-- Takes the sale only if it is still as it was read.
-- statement take_sale
UPDATE sales SET owner = ?4, term = term + 1, taken_from = ?5
    WHERE n = ?1 AND owner = ?2 AND term = ?3 AND step = ?6

-- This is a step without a record: a forwarded command is dismissed.
-- statement make_step
UPDATE sales SET step = step + 1, owner = CASE WHEN settled = 1 THEN '' ELSE owner END WHERE {owned}
    RETURNING settled

-- statement give_back
UPDATE sales SET owner = '' WHERE settled = 0 AND owner = ?1

-- A gateway that these sales were taken from may yet send a request of theirs.
-- statement noted_sales
SELECT n, id, taken_from FROM sales WHERE taken_from IS NOT NULL ORDER BY id

-- statement set_taken_from
UPDATE sales SET taken_from = ?2 WHERE n = ?1
