-- Moments are milliseconds since the Unix epoch, amounts are in a currency's minor unit.

CREATE TABLE otps (
  email TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('current', 'replacement')),
  seed TEXT NOT NULL,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  attempts_left INTEGER NOT NULL CHECK (attempts_left > 0),
  PRIMARY KEY (email, role)
) STRICT, WITHOUT ROWID;

-- Several mails, and several wrong tries, may share a moment: their position tells them apart and keeps their order.
CREATE TABLE otp_mails (
  email TEXT NOT NULL,
  position INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  PRIMARY KEY (email, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE otp_wrong_tries (
  email TEXT NOT NULL,
  position INTEGER NOT NULL,
  tried_at INTEGER NOT NULL,
  PRIMARY KEY (email, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE verifications (
  email TEXT NOT NULL PRIMARY KEY,
  verified_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE log_outs (
  email TEXT NOT NULL PRIMARY KEY,
  line_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE purchases (
  id TEXT NOT NULL PRIMARY KEY,
  email TEXT NOT NULL,
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
  review_reason TEXT CHECK (review_reason IN ('amount', 'currency', 'mode', 'livemode')),
  revoked_at INTEGER,
  CHECK ((state = 'paid') = (paid_at IS NOT NULL)),
  CHECK ((state = 'paid') = (amount_paid IS NOT NULL)),
  CHECK ((state = 'review') = (review_reason IS NOT NULL)),
  CHECK (state = 'paid' OR revoked_at IS NULL)
) STRICT;

CREATE INDEX purchases_of_an_email ON purchases (email, created_at);

-- An address has at most one session that can be paid, whatever the processes in front of the database do.
CREATE UNIQUE INDEX one_open_purchase_an_email ON purchases (email) WHERE state = 'open';

CREATE TABLE operator_grants (
  id TEXT NOT NULL PRIMARY KEY,
  email TEXT NOT NULL,
  granted_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT;

CREATE INDEX operator_grants_of_an_email ON operator_grants (email);

-- Refunds and disputes may be reported before the purchase they belong to is known to be paid, so they refer to no row.
CREATE TABLE refunds (
  id TEXT NOT NULL PRIMARY KEY,
  payment_intent_id TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 0),
  state TEXT NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed'))
) STRICT;

CREATE INDEX refunds_of_a_payment ON refunds (payment_intent_id);

CREATE TABLE disputes (
  id TEXT NOT NULL PRIMARY KEY,
  payment_intent_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('inquiry', 'open', 'won', 'lost')),
  reported_at INTEGER NOT NULL
) STRICT;

CREATE INDEX disputes_of_a_payment ON disputes (payment_intent_id);

-- The sandbox provider's own memory; empty where a real provider is in use.
CREATE TABLE sandbox_sessions (
  session_id TEXT NOT NULL PRIMARY KEY,
  purchase_id TEXT NOT NULL UNIQUE,
  customer_email TEXT NOT NULL,
  price_amount INTEGER NOT NULL CHECK (price_amount > 0),
  price_currency TEXT NOT NULL CHECK (price_currency GLOB '[a-z][a-z][a-z]'),
  state TEXT NOT NULL
    CHECK (state IN ('open', 'declined', 'awaiting_money', 'paid', 'failed', 'expired')),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  payment_intent_id TEXT
) STRICT;
