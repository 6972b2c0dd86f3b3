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

-- The table is made anew for one more reason of a review: an order that nothing shows to be ours.
CREATE TABLE new_purchases (
  id TEXT NOT NULL PRIMARY KEY,
  email TEXT NOT NULL,
  language TEXT NOT NULL CHECK (length(language) = 2),
  price_amount INTEGER NOT NULL CHECK (price_amount > 0),
  price_currency TEXT NOT NULL CHECK (price_currency GLOB '[a-z][a-z][a-z]'),
  live INTEGER NOT NULL CHECK (live IN (0, 1)),
  state TEXT NOT NULL CHECK (state IN ('open', 'processing', 'closed', 'review', 'paid')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  session_id TEXT UNIQUE,
  payment_intent_id TEXT,
  paid_at INTEGER,
  amount_paid INTEGER CHECK (amount_paid >= 0),
  is_duplicate INTEGER CHECK (is_duplicate IN (0, 1)),
  review_reason TEXT CHECK (review_reason IN ('amount', 'currency', 'mode', 'livemode', 'order')),
  amount_received INTEGER CHECK (amount_received >= 0),
  revoked_at INTEGER,
  CHECK ((state = 'paid') = (paid_at IS NOT NULL)),
  CHECK ((state = 'paid') = (amount_paid IS NOT NULL)),
  CHECK ((state = 'paid') = (is_duplicate IS NOT NULL)),
  CHECK ((state = 'review') = (review_reason IS NOT NULL)),
  CHECK ((state = 'review') = (amount_received IS NOT NULL)),
  CHECK (state = 'paid' OR revoked_at IS NULL)
) STRICT;

INSERT INTO new_purchases (
  id, email, language, price_amount, price_currency, live, state, created_at, expires_at,
  session_id, payment_intent_id, paid_at, amount_paid, is_duplicate, review_reason, amount_received, revoked_at
)
SELECT
  id, email, language, price_amount, price_currency, live, state, created_at, expires_at,
  session_id, payment_intent_id, paid_at, amount_paid, is_duplicate, review_reason, amount_received, revoked_at
FROM purchases
ORDER BY rowid;

DROP TABLE purchases;

ALTER TABLE new_purchases RENAME TO purchases;

CREATE INDEX purchases_of_an_email ON purchases (email, created_at);

CREATE UNIQUE INDEX one_open_purchase_an_email ON purchases (email) WHERE state = 'open';

CREATE INDEX purchases_in_a_state ON purchases (state, id);

CREATE INDEX purchases_of_a_payment ON purchases (payment_intent_id)
  WHERE payment_intent_id IS NOT NULL;

CREATE INDEX purchases_by_time_of_payment ON purchases (paid_at, id) WHERE paid_at IS NOT NULL;

CREATE INDEX purchases_nobody_paid ON purchases (state, expires_at)
  WHERE state = 'closed' AND email NOT GLOB 'erased-*@alibi.invalid';

-- Whether a price was ever asked for.
CREATE INDEX purchases_at_a_price ON purchases (price_amount, price_currency);
