-- Which replicas serve, and which of them works in the background for all. Nothing in here is worth a backup.
CREATE TABLE leases (
  name text COLLATE "C" PRIMARY KEY CHECK (name <> ''),
  holder uuid NOT NULL,
  expires_at timestamptz(3) NOT NULL
);

CREATE TABLE replicas (
  id uuid PRIMARY KEY,
  version text COLLATE "C" NOT NULL CHECK (version <> ''),
  started_at timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL CHECK (seen_at >= started_at)
);
