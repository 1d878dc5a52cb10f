-- These find the sales that need a person.

-- The index is named together with its condition: otherwise the planner would look at every sale that ever was.
-- statement marked_sales
SELECT id, created_at, terminal, estabelecimento, family, produto, valor, status, attention, attempts, recorded_at,
    story FROM sales /*+ INDEXED BY sales_attention */ WHERE attention <> 'none' ORDER BY id

-- statement callbacks_of_marked
SELECT received_at, kind, valid, body FROM callbacks WHERE sale = ?1 ORDER BY n LIMIT ?2
