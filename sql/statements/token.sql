-- The access token of the last run: one row, or none.

-- statement remove_token
DELETE FROM token
