-- Who asks without a token counts for their network, whomever the mail goes to.
ALTER TABLE service_mails DROP CONSTRAINT service_mails_check;

DROP INDEX service_mails_of_a_network;
CREATE INDEX service_mails_of_a_network ON service_mails (network, sent_at) WHERE network IS NOT NULL;
