-- The access token of the last run has one row, or none.

-- statement load_token
SELECT access, refresh, obtained_at, expires_at, owner FROM token

-- statement save_token
INSERT INTO token (one, access, refresh, obtained_at, expires_at, owner) VALUES (1, ?1, ?2, ?3, ?4, ?5)
ON CONFLICT (one) DO UPDATE SET access = excluded.access, refresh = excluded.refresh,
    obtained_at = excluded.obtained_at, expires_at = excluded.expires_at, owner = excluded.owner

-- statement remove_token
DELETE FROM token
-- on postgresql
UPDATE token SET access = NULL, refresh = NULL, obtained_at = NULL, expires_at = NULL, owner = '', number = number + 1,
    asked_by = '', asked_until = '-infinity'
