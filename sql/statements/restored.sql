-- These are for a journal that was restored from a copy, and does not know what happened after the copy.

-- statement open_after_restore
SELECT n, status, family, attempts, recorded_at FROM sales WHERE settled = 0 /*+ ORDER BY n FOR UPDATE */

-- statement restore_attempts
UPDATE sales SET attempts = ?2, recorded_at = ?3 WHERE n = ?1

-- statement mark_restored
UPDATE sales SET status = ?2, attention = ?3, updated_at = ?4, reason = coalesce(reason, ?5), story = story || ?6
    WHERE n = ?1
