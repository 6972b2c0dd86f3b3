-- A payment of which a refund or a dispute is stored, and no purchase is known: what is stored of it is deleted in time.
CREATE TABLE foreign_payments (
  payment_intent_id TEXT NOT NULL PRIMARY KEY,
  stored_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX foreign_payments_by_time ON foreign_payments (stored_at);

-- When those were stored that are there, nobody noted.
INSERT INTO foreign_payments (payment_intent_id, stored_at)
SELECT payment_intent_id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
FROM (SELECT payment_intent_id FROM refunds UNION SELECT payment_intent_id FROM disputes) AS reversals
WHERE NOT EXISTS (
  SELECT 1 FROM purchases WHERE purchases.payment_intent_id = reversals.payment_intent_id
);
