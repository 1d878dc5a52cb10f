-- So that the sale that has a key, and a key that was cancelled, are found by the same statements as on SQLite.
CREATE INDEX sales_by_key ON sales (key, terminal);
CREATE VIEW cancelled_keys AS SELECT terminal, key, cancelled_at FROM keys WHERE sale IS NULL;
