-- A holder of a token has codes, mails and wrong tries apart from those of strangers. Nobody noted from which network
-- those came that are there: they count for their address, and for no network.
CREATE TABLE new_otps (
  email TEXT NOT NULL,
  sender TEXT NOT NULL CHECK (sender IN ('stranger', 'holder')),
  role TEXT NOT NULL CHECK (role IN ('current', 'replacement')),
  seed TEXT NOT NULL,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  attempts_left INTEGER NOT NULL CHECK (attempts_left > 0),
  PRIMARY KEY (email, sender, role)
) STRICT, WITHOUT ROWID;

INSERT INTO new_otps (email, sender, role, seed, issued_at, expires_at, attempts_left)
SELECT email, 'stranger', role, seed, issued_at, expires_at, attempts_left FROM otps;

DROP TABLE otps;

ALTER TABLE new_otps RENAME TO otps;

-- The mailbox is a digest under a key that is not here. It is null for holders, whose mails count for no mailbox.
CREATE TABLE new_otp_mails (
  email TEXT NOT NULL,
  sender TEXT NOT NULL CHECK (sender IN ('stranger', 'holder')),
  position INTEGER NOT NULL,
  sent_at INTEGER NOT NULL,
  network TEXT,
  mailbox TEXT,
  PRIMARY KEY (email, sender, position),
  CHECK (sender = 'stranger' OR (network IS NULL AND mailbox IS NULL))
) STRICT, WITHOUT ROWID;

INSERT INTO new_otp_mails (email, sender, position, sent_at)
SELECT email, 'stranger', position, sent_at FROM otp_mails;

DROP TABLE otp_mails;

ALTER TABLE new_otp_mails RENAME TO otp_mails;

CREATE INDEX otp_mails_into_a_mailbox ON otp_mails (mailbox, sent_at) WHERE mailbox IS NOT NULL;

CREATE TABLE new_otp_wrong_tries (
  email TEXT NOT NULL,
  sender TEXT NOT NULL CHECK (sender IN ('stranger', 'holder')),
  position INTEGER NOT NULL,
  tried_at INTEGER NOT NULL,
  network TEXT,
  PRIMARY KEY (email, sender, position),
  CHECK (sender = 'stranger' OR network IS NULL)
) STRICT, WITHOUT ROWID;

INSERT INTO new_otp_wrong_tries (email, sender, position, tried_at)
SELECT email, 'stranger', position, tried_at FROM otp_wrong_tries;

DROP TABLE otp_wrong_tries;

ALTER TABLE new_otp_wrong_tries RENAME TO otp_wrong_tries;

CREATE INDEX otp_wrong_tries_by_time ON otp_wrong_tries (tried_at, network);

-- Every code mail of the whole service, without its address, for as long as MAIL_LIMIT counts it.
CREATE TABLE service_mails (
  id INTEGER NOT NULL PRIMARY KEY,
  sent_at INTEGER NOT NULL,
  had_premium INTEGER NOT NULL CHECK (had_premium IN (0, 1)),
  network TEXT,
  CHECK (had_premium = 0 OR network IS NULL)
) STRICT;

CREATE INDEX service_mails_by_time ON service_mails (sent_at, had_premium);

CREATE INDEX service_mails_to_strangers ON service_mails (sent_at) WHERE had_premium = 0;

CREATE INDEX service_mails_of_a_network ON service_mails (network, sent_at) WHERE had_premium = 0;
