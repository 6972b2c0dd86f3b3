-- What is pruned by its age is found through an index that goes by it, however much there is that is not old enough.
CREATE INDEX otps_by_expiry ON otps (expires_at);
CREATE INDEX otp_mails_by_time ON otp_mails (sent_at);
CREATE INDEX verifications_by_expiry ON verifications (expires_at);
CREATE INDEX log_outs_by_epoch ON log_outs (epoch);
CREATE INDEX erased_log_outs_by_epoch ON erased_log_outs (epoch);

-- Whether a price was ever asked for in a mode, without looking at all the purchases in the other one.
DROP INDEX purchases_at_a_price;
CREATE INDEX purchases_at_a_price ON purchases (price_amount, price_currency, live);
