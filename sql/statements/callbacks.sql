-- These keep the callbacks as they came.

-- statement sale_of_callback
SELECT id, n FROM sales WHERE callback_hash = ?1

-- Makes the erasure of the sale's personal fields come before or after the callback, and not in between.
-- statement hold_sale
SELECT 1 FROM sales WHERE id = ?1 /*+ FOR SHARE */

-- statement insert_callback
INSERT INTO callbacks (received_at, sale, kind, valid, body) VALUES (?1, ?2, ?3, ?4, ?5)

-- A sale has two callbacks, so more than this many do not come from the provider.
-- statement callbacks_of_sale
SELECT received_at, kind, valid, body FROM callbacks WHERE sale = ?1 ORDER BY n LIMIT 50
