-- The sales.

-- Marks a sale whose row, or a value in it, cannot be read: ?1 is its number, ?2 the line for its history, ?3 whether a
-- mark that is gone comes back, ?4 the marks that only a person takes away, each between two commas. A mark that passes
-- would take the news along when it goes. Behind one that lasts the news of a value waits: the law may take that mark
-- away too, and the next one who reads the sale brings it.
-- statement mark_unreadable
UPDATE sales SET
    attention = CASE WHEN strpos(?4, ',' || attention || ',') > 0 THEN attention ELSE 'unreadable' END,
    story = CASE WHEN strpos(story, '"event":"unreadable"') > 0 THEN story ELSE story || ?2 END
    WHERE n = ?1
    AND NOT (strpos(story, '"event":"unreadable"') > 0 AND (strpos(?4, ',' || attention || ',') > 0 OR ?3 = 0))
    AND (?3 = 1 OR attention = 'unreadable' OR strpos(?4, ',' || attention || ',') = 0)

-- statement insert_sale
INSERT INTO sales (id, terminal, key, digest, family, mode, estabelecimento, produto, fornecedor, valor, segment,
    request, callback_hash, redemption, created_at, updated_at, recorded_at, status, settled, attention, receipts,
    attempts, story, cashier, duplicate_hash)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?16, ?17, ?18, ?19, 0, ?20, ?21,
    ?22, ?23)
    ON CONFLICT DO NOTHING

-- statement insert_attempt
INSERT INTO id_externos VALUES (?1, ?2)

-- What a step of the sale ?1 changes. There are several statements because a column that is named has its index
-- written, changed or not: few steps change settled or the movement day, and many change neither the status nor the
-- attention.
-- The lines ?7 are left out of a history that is as long as ?8. The details, ?10 and ?11, change where ?9 is 1.
-- columns step
updated_at = ?2, reason = ?3, words = ?4, attempts = ?5, recorded_at = ?6,
    story = CASE WHEN length(story) < CAST(?8 AS bigint) THEN story || ?7 ELSE story END,
    facts = CASE WHEN ?9 = 1 THEN ?10 ELSE facts END, goods = CASE WHEN ?9 = 1 THEN ?11 ELSE goods END

-- A mark that the journal made itself stays where ?14 is 1: the step does not know of it and has none to say, or one
-- that passes and would take it along.
-- columns standing
status = ?12, attention = CASE WHEN ?14 = 1 AND attention = 'unreadable' THEN attention ELSE ?13 END

-- statement record_step
UPDATE sales SET {step} WHERE id = ?1

-- statement record_standing
UPDATE sales SET {step}, {standing} WHERE id = ?1

-- statement record_settled
UPDATE sales SET {step}, {standing}, settled = ?15 WHERE id = ?1

-- statement record_day
UPDATE sales SET {step}, {standing}, day = ?15, late_day = ?16 WHERE id = ?1

-- statement record_day_and_settled
UPDATE sales SET {step}, {standing}, day = ?15, late_day = ?16, settled = ?17 WHERE id = ?1

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

-- What a sale is read from, in the order of rows::read_sale().
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

-- The status may have been altered: what is of no day is looked at whatever it says.
-- statement open_sales
SELECT {sale} FROM sales /*+ INDEXED BY sales_open */ WHERE settled = 0 AND n > ?1
    AND (day IS NULL OR status IN ('PENDENTE', 'AUTORIZADA'))
    AND (CAST(?2 AS TEXT) IS NULL OR estabelecimento = ?2) ORDER BY n LIMIT ?3

-- statement history_of_sale
SELECT story, attempts FROM sales WHERE id = ?1

-- statement notes_of_sale
SELECT note FROM notes WHERE sale = ?1 ORDER BY n

-- The first character stands for what kind of value the history is.
-- statement history_length
SELECT length(story), substr(story, 1, 1) FROM sales WHERE id = ?1
