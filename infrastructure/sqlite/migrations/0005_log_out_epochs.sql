-- One row: a number that every log-out raises, so that it tells before from after where a clock cannot.
CREATE TABLE log_out_epoch (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL CHECK (epoch >= 0)
) STRICT;

-- So far the moment of a log-out was compared with that of a token. As numbers, both go on counting as they did.
ALTER TABLE log_outs RENAME COLUMN line_at TO epoch;
ALTER TABLE erased_log_outs RENAME COLUMN line_at TO epoch;
ALTER TABLE common_log_out RENAME COLUMN line_at TO epoch;

INSERT INTO log_out_epoch (id, epoch)
SELECT 1, coalesce(max(epoch), 0) FROM (
  SELECT epoch FROM log_outs
  UNION ALL SELECT epoch FROM erased_log_outs
  UNION ALL SELECT epoch FROM common_log_out
);

ALTER TABLE verifications ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
UPDATE verifications SET epoch = verified_at;
