-- Table checks cannot be added to a table that is there, so it is made anew and takes over the rows.
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
  review_reason TEXT CHECK (review_reason IN ('amount', 'currency', 'mode', 'livemode')),
  amount_received INTEGER CHECK (amount_received >= 0),
  revoked_at INTEGER,
  CHECK ((state = 'paid') = (paid_at IS NOT NULL)),
  CHECK ((state = 'paid') = (amount_paid IS NOT NULL)),
  CHECK ((state = 'paid') = (is_duplicate IS NOT NULL)),
  CHECK ((state = 'review') = (review_reason IS NOT NULL)),
  CHECK ((state = 'review') = (amount_received IS NOT NULL)),
  CHECK (state = 'paid' OR revoked_at IS NULL)
) STRICT;

-- Nobody noted the language, a payment that was one too many, or the amount that came: the likeliest stands for them.
INSERT INTO new_purchases (
  id, email, language, price_amount, price_currency, live, state, created_at, expires_at,
  session_id, payment_intent_id, paid_at, amount_paid, is_duplicate, review_reason, amount_received, revoked_at
)
SELECT
  id, email, 'en', price_amount, price_currency, live, state, created_at, expires_at,
  session_id, payment_intent_id, paid_at, amount_paid, iif(state = 'paid', 0, NULL), review_reason,
  iif(state = 'review', price_amount, NULL), revoked_at
FROM purchases
ORDER BY rowid;

DROP TABLE purchases;

ALTER TABLE new_purchases RENAME TO purchases;

CREATE INDEX purchases_of_an_email ON purchases (email, created_at);

-- An address has at most one session that can be paid, whatever the processes in front of the database do.
CREATE UNIQUE INDEX one_open_purchase_an_email ON purchases (email) WHERE state = 'open';

CREATE INDEX purchases_in_a_state ON purchases (state, id);

CREATE INDEX purchases_of_a_payment ON purchases (payment_intent_id)
  WHERE payment_intent_id IS NOT NULL;

CREATE TABLE outbox (
  key TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('payment_confirmed', 'payment_failed', 'duplicate_refund')),
  purchase_id TEXT NOT NULL,
  email TEXT NOT NULL,
  language TEXT NOT NULL CHECK (length(language) = 2),
  amount INTEGER NOT NULL CHECK (amount >= 0),
  currency TEXT NOT NULL CHECK (currency GLOB '[a-z][a-z][a-z]'),
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL CHECK (attempts >= 0),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'done', 'dropped', 'given_up')),
  due_at INTEGER,
  ended_at INTEGER,
  CHECK ((state = 'waiting') = (due_at IS NOT NULL)),
  CHECK ((state = 'waiting') = (ended_at IS NULL))
) STRICT;

CREATE INDEX outbox_that_waits ON outbox (kind, due_at) WHERE state = 'waiting';

CREATE INDEX outbox_of_a_purchase ON outbox (purchase_id);

-- Who may change a grant, and why, is left unchecked: to add to a list of words, the table would have to be made anew.
CREATE TABLE audit_entries (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  by_whom TEXT NOT NULL,
  source TEXT,
  grant_id TEXT NOT NULL,
  email TEXT NOT NULL,
  reason TEXT NOT NULL,
  object_id TEXT NOT NULL,
  is_active INTEGER NOT NULL CHECK (is_active IN (0, 1))
) STRICT;

CREATE INDEX audit_entries_of_an_email ON audit_entries (email);

CREATE TRIGGER audit_entries_are_not_changed BEFORE UPDATE ON audit_entries
BEGIN
  SELECT RAISE(ABORT, 'an audit entry is never changed');
END;

CREATE TRIGGER audit_entries_are_not_deleted BEFORE DELETE ON audit_entries
BEGIN
  SELECT RAISE(ABORT, 'an audit entry is never deleted');
END;

CREATE TABLE sweeps (
  name TEXT NOT NULL PRIMARY KEY,
  last_run_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
