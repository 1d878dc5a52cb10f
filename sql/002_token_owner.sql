-- For whom the token was given: a digest of it, the token service's address, the application's credentials and the
-- scopes, from which none of them can be guessed. One that was given for others is not used, and another is asked for.
ALTER TABLE token ADD COLUMN owner TEXT NOT NULL DEFAULT '';
