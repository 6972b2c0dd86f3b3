-- One row, written again and again: whoever wants to know whether a commit comes through makes one.
CREATE TABLE heartbeat (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  at INTEGER NOT NULL
) STRICT;

-- How many wrong codes were tried of late, over all addresses.
CREATE INDEX otp_wrong_tries_by_time ON otp_wrong_tries (tried_at);

CREATE INDEX audit_entries_by_time ON audit_entries (at);

CREATE INDEX purchases_by_time_of_payment ON purchases (paid_at, id) WHERE paid_at IS NOT NULL;

-- What is to be deleted once it is old: pages that were left without paying come without end.
CREATE INDEX purchases_nobody_paid ON purchases (state, expires_at)
  WHERE state = 'closed' AND email NOT GLOB 'erased-*@alibi.invalid';

CREATE INDEX operator_grants_by_time ON operator_grants (granted_at, id);

CREATE INDEX outbox_that_ended ON outbox (ended_at) WHERE state IN ('done', 'dropped');

-- What stays of an address that was erased, so that its old tokens stay void: a digest under a key that is not here.
CREATE TABLE erased_log_outs (
  trace TEXT NOT NULL PRIMARY KEY,
  line_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- One row: everybody's tokens from before this moment are void, because single log-outs from before it are forgotten.
CREATE TABLE common_log_out (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  line_at INTEGER NOT NULL
) STRICT;

-- What an operator has to see to; nearly always none.
CREATE INDEX outbox_given_up ON outbox (kind, created_at) WHERE state = 'given_up';

-- An entry stays as it is, but for the address of whoever asked to be forgotten.
DROP TRIGGER audit_entries_are_not_changed;

CREATE TRIGGER audit_entries_are_not_changed BEFORE UPDATE ON audit_entries
WHEN NOT (
  new.email GLOB 'erased-*@alibi.invalid'
  AND old.email NOT GLOB 'erased-*@alibi.invalid'
  AND new.id IS old.id
  AND new.at IS old.at
  AND new.by_whom IS old.by_whom
  AND new.source IS old.source
  AND new.grant_id IS old.grant_id
  AND new.reason IS old.reason
  AND new.object_id IS old.object_id
  AND new.is_active IS old.is_active
)
BEGIN
  SELECT RAISE(ABORT, 'an audit entry is never changed, but for an address that is erased');
END;

-- Three years of 365 days, after which it is nobody's business any more.
DROP TRIGGER audit_entries_are_not_deleted;

CREATE TRIGGER audit_entries_are_not_deleted BEFORE DELETE ON audit_entries
WHEN old.at > (unixepoch() - 1095 * 86400) * 1000
BEGIN
  SELECT RAISE(ABORT, 'an audit entry is kept for three years');
END;
