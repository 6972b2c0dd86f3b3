-- Rate limits may start anew after a crash, so nothing here is worth a write to the write-ahead log. All moments are
-- milliseconds since 1970: they stand in arrays, and are counted with, at every request.

-- A place: who is counted by one budget, and the requests that were accepted in its window.
CREATE UNLOGGED TABLE rate_limits (
  -- A digest of whom it counts and by which limit.
  key uuid NOT NULL PRIMARY KEY,
  -- Among which places it takes room.
  scope text COLLATE "C" NOT NULL,
  -- The widest network of its clients, as a key.
  crowd uuid NOT NULL,
  -- How many places it stands for in rate_limit_rooms: 0 for most.
  weight integer NOT NULL,
  -- When requests were accepted, ascending. The first may be over.
  hits bigint[] NOT NULL,
  -- Empty where each request has a hit of its own. Else how many were accepted up to each hit.
  totals bigint[] NOT NULL,
  opened_at bigint NOT NULL,
  -- Until then it counts requests of clients that had no narrower place.
  shared_until bigint NOT NULL,
  -- When the last hit is over. Not in the index, so that a hit changes none (a heap-only update).
  over_at bigint NOT NULL,
  -- When pruning looks at it next: never after it was over for the first time.
  check_at bigint NOT NULL
) WITH (fillfactor = 50);

CREATE INDEX rate_limits_check_at ON rate_limits (check_at);

-- How many places there are, of each scope, and of each crowd in it. Counted in a sample: so few requests wait for
-- each other here, and none has to count rows.
CREATE UNLOGGED TABLE rate_limit_rooms (
  scope text COLLATE "C" NOT NULL,
  -- All zeros for the whole scope.
  crowd uuid NOT NULL,
  places integer NOT NULL,
  -- Until then there may be a place that is shared. Only for the whole scope.
  shared_until bigint NOT NULL,
  PRIMARY KEY (scope, crowd)
);

-- The given moment, or that of the database's clock.
CREATE FUNCTION rate_limit_moment(moment_ms bigint) RETURNS bigint
LANGUAGE sql VOLATILE
RETURN coalesce(moment_ms, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint);

-- How many requests a place counts, of whose hits the first are over.
CREATE FUNCTION rate_limit_hits(hits bigint[], totals bigint[], past integer) RETURNS bigint
LANGUAGE sql IMMUTABLE
RETURN CASE
  WHEN cardinality(totals) = 0 THEN cardinality(hits) - past
  ELSE totals[cardinality(totals)] - coalesce(totals[past], 0)
END;

-- Counts places that are new, or gone where weights are negative. Its locks come after those on places, in order.
CREATE FUNCTION count_rate_limit_places(
  scopes text[], crowds uuid[], weights integer[], shared_until bigint[]
) RETURNS void
LANGUAGE sql
AS $$
  INSERT INTO rate_limit_rooms AS room (scope, crowd, places, shared_until)
  SELECT change.scope, counted.crowd, sum(change.weight), max(change.shared_until)
  FROM unnest(scopes, crowds, weights, shared_until) AS change (scope, crowd, weight, shared_until)
  CROSS JOIN LATERAL (
    SELECT uuid '00000000-0000-0000-0000-000000000000' UNION SELECT change.crowd
  ) AS counted (crowd)
  GROUP BY change.scope, counted.crowd
  ORDER BY change.scope, counted.crowd
  ON CONFLICT (scope, crowd) DO UPDATE SET
    places = room.places + excluded.places,
    shared_until = greatest(room.shared_until, excluded.shared_until)
$$;

-- Looks at places whose time has come, at most so many, and removes those that count nobody any more. Returns how many
-- it looked at: where that is as many as it may, there may be more. Places that are in use now wait for the next pass.
CREATE FUNCTION prune_rate_limits(looked_at_max integer, moment_ms bigint DEFAULT NULL) RETURNS integer
LANGUAGE plpgsql
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  whole CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  now_ms CONSTANT bigint := rate_limit_moment(moment_ms);
  due_keys uuid[];
  gone_scopes text[];
  gone_crowds uuid[];
  gone_weights integer[];
BEGIN
  due_keys := ARRAY(
    SELECT one.key FROM rate_limits one WHERE one.check_at <= now_ms
    ORDER BY one.check_at LIMIT looked_at_max FOR UPDATE SKIP LOCKED
  );
  UPDATE rate_limits one SET check_at = one.over_at WHERE one.key = ANY (due_keys) AND one.over_at > now_ms;
  WITH gone AS (
    DELETE FROM rate_limits one WHERE one.key = ANY (due_keys) AND one.over_at <= now_ms
    RETURNING one.scope, one.crowd, one.weight
  )
  SELECT array_agg(gone.scope), array_agg(gone.crowd), array_agg(-gone.weight)
  INTO gone_scopes, gone_crowds, gone_weights
  FROM gone WHERE gone.weight > 0;
  IF gone_scopes IS NOT NULL THEN
    PERFORM count_rate_limit_places(
      gone_scopes, gone_crowds, gone_weights, array_fill(0::bigint, ARRAY[cardinality(gone_scopes)])
    );
    DELETE FROM rate_limit_rooms room
    WHERE (room.scope, room.crowd) IN (SELECT * FROM unnest(gone_scopes, gone_crowds))
      AND room.crowd <> whole AND room.places = 0;
  END IF;
  RETURN cardinality(due_keys);
END
$$;
