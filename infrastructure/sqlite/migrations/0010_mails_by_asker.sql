-- Who asks without a token counts for their network, whomever the mail goes to.
CREATE TABLE new_service_mails (
  id INTEGER NOT NULL PRIMARY KEY,
  sent_at INTEGER NOT NULL,
  had_premium INTEGER NOT NULL CHECK (had_premium IN (0, 1)),
  network TEXT
) STRICT;

INSERT INTO new_service_mails (id, sent_at, had_premium, network)
SELECT id, sent_at, had_premium, network FROM service_mails;

DROP TABLE service_mails;

ALTER TABLE new_service_mails RENAME TO service_mails;

CREATE INDEX service_mails_by_time ON service_mails (sent_at, had_premium);

CREATE INDEX service_mails_to_strangers ON service_mails (sent_at) WHERE had_premium = 0;

CREATE INDEX service_mails_of_a_network ON service_mails (network, sent_at) WHERE network IS NOT NULL;
