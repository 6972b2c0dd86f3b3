-- The SHA-256, in base64url, of what only the browser knows that proved the address; null where it gave none.
ALTER TABLE verifications ADD COLUMN code_challenge TEXT CHECK (length(code_challenge) = 43);
