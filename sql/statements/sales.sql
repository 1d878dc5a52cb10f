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
