-- What the erasure comes back to is not only what was open when it passed: a sale that was made with a clock that was
-- behind has its id among those that are done, and a note or a callback may come long after the erasure of its sale. By
-- no time in such a row can be told how old it is, so the erasure keeps it as long as any other from when it met it.
ALTER TABLE erase_later ADD COLUMN met_at INTEGER DEFAULT 0; -- NULL: not yet; 0: was old enough, but open

-- Earlier versions did not come back to it.
INSERT INTO erase_later
    SELECT id, NULL FROM sales
    WHERE id <= (SELECT done_until FROM erasure)
      AND (request IS NOT NULL OR words IS NOT NULL OR goods IS NOT NULL OR esim IS NOT NULL)
    ON CONFLICT DO NOTHING;
INSERT INTO erase_later
    SELECT sale, NULL FROM callbacks WHERE body IS NOT NULL AND sale <= (SELECT done_until FROM erasure)
    ON CONFLICT DO NOTHING;
INSERT INTO erase_later
    SELECT sale, NULL FROM notes WHERE note IS NOT NULL AND sale <= (SELECT done_until FROM erasure)
    ON CONFLICT DO NOTHING;
