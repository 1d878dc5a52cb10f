-- What several gateways that share a journal need besides. Only PostgreSQL has the tables for it.

-- statement take_upkeep
UPDATE upkeep SET run = ?1 WHERE (run = ?1 OR is_over(run)) AND NOT is_over(?1)
