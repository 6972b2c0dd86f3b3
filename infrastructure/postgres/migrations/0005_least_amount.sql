-- The least that its page may be paid with; null where a release before this one has made the page.
ALTER TABLE purchases ADD COLUMN least_amount bigint CHECK (least_amount >= 0);
