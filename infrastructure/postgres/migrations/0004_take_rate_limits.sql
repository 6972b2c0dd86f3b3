-- Judges takes in their order. A take is a number of requests of one subject. It has one to four levels, the narrowest
-- first: places that may count it. The answer has a row for each take: how many requests are accepted; of the first of
-- them, the level with the smallest remainder, that remainder, and the time until it has one more; and of those that are
-- refused, the level that is waited for longest, and for how long. Levels of a take have the numbers from 0.
CREATE FUNCTION take_rate_limits(
  requests integer[],
  windows_ms bigint[],
  scopes text[],
  -- How many places a scope has at most. One crowd fills an eighth of them.
  places_max integer[],
  -- All zeros where the scope has no crowds.
  crowds uuid[],
  depths integer[],
  -- The levels of all takes, one take after the other.
  level_keys uuid[],
  level_budgets integer[],
  -- How long a part of the window is whose requests are kept as one hit, or 0.
  level_parts_ms bigint[],
  -- New places are opened while the scope is less full, from 0 to 1. The last level is opened in any case.
  level_opened_until double precision[],
  -- Whether it counts requests that a narrower place counts, too.
  level_always boolean[],
  -- The time, where it is not that of the database's clock.
  moment_ms bigint DEFAULT NULL,
  OUT accepted integer, OUT level integer, OUT remaining integer, OUT reset_ms integer,
  OUT refused_level integer, OUT refused_reset_ms integer
) RETURNS SETOF record
LANGUAGE plpgsql
-- A plan from when the table was small must not be kept as it grows.
SET enable_seqscan = off
SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
  whole CONSTANT uuid := '00000000-0000-0000-0000-000000000000';
  -- Of a full scope so many places are counted, and stand for all.
  sample CONSTANT integer := 16384;
  -- What was made later than this counts as not there: the clock was wrong then.
  future_max_ms CONSTANT bigint := 60000;
  -- A full scope may have room after the next pass of pruning.
  full_wait_ms CONSTANT bigint := 15000;
  now_ms bigint := rate_limit_moment(moment_ms);
  -- Each has an element for each take.
  starts integer[] := '{}';
  planned_depths integer[] := '{}';
  refused_levels integer[] := '{}';
  refused_resets_ms integer[] := '{}';
  -- The levels that count the takes that are not refused at first sight, and whose levels they are.
  planned_levels integer[] := '{}';
  planned_takes integer[] := '{}';
  planned integer := 0;
  -- Of the scope of a take.
  scope text;
  scope_places integer;
  scope_shared_until bigint;
  crowd_places integer;
  fill double precision;
  is_calm boolean;
  -- Of a take.
  start integer := 0;
  counting integer[];
  opening integer;
  narrower_opened_at bigint;
  refused_wait_ms bigint;
  counting_places rate_limits[];
  lefts integer[];
  -- Of a level.
  own integer;
  place rate_limits;
  is_open boolean;
  past integer;
  part_ms bigint;
  hit_at bigint;
  wait_ms bigint;
  total bigint;
  last_kept integer;
  unused_keys uuid[] := '{}';
  -- What count_rate_limit_places is told.
  changed_scopes text[] := '{}';
  changed_crowds uuid[] := '{}';
  changed_weights integer[] := '{}';
  changed_shared_until bigint[] := '{}';
BEGIN
  -- Without a lock: which places count each take. What they refuse now is refused, without a write.
  FOR take IN 1 .. cardinality(requests) LOOP
    IF scope IS DISTINCT FROM scopes[take] THEN
      scope := scopes[take];
      SELECT room.places, room.shared_until INTO scope_places, scope_shared_until
      FROM rate_limit_rooms room WHERE room.scope = scopes[take] AND room.crowd = whole;
      scope_places := coalesce(scope_places, 0);
      scope_shared_until := coalesce(scope_shared_until, 0);
    END IF;
    fill := scope_places::double precision / places_max[take];
    -- No crowd can have half of an eighth then.
    is_calm := fill < 1.0 / 16;
    IF NOT is_calm AND crowds[take] <> whole THEN
      SELECT room.places INTO crowd_places
      FROM rate_limit_rooms room WHERE room.scope = scopes[take] AND room.crowd = crowds[take];
      fill := greatest(fill, 8.0 * coalesce(crowd_places, 0) / places_max[take]);
    END IF;
    is_calm := is_calm AND scope_shared_until <= now_ms;

    counting := '{}';
    opening := 0;
    narrower_opened_at := NULL;
    refused_level := NULL;
    refused_wait_ms := NULL;
    FOR step IN 1 .. depths[take] LOOP
      CONTINUE WHEN is_calm AND step > 1 AND NOT level_always[start + step];
      SELECT * INTO place FROM rate_limits one WHERE one.key = level_keys[start + step];
      is_open := FOUND;
      -- After every hit that was read.
      now_ms := rate_limit_moment(moment_ms);
      is_open := is_open AND place.over_at > now_ms
        AND place.over_at <= now_ms + windows_ms[take] + level_parts_ms[start + step] + future_max_ms;
      IF cardinality(counting) = 0 THEN
        CONTINUE WHEN NOT is_open AND fill >= level_opened_until[start + step] AND step < depths[take];
      ELSIF NOT level_always[start + step] THEN
        -- It goes on counting those whom it may have counted before they had a narrower place.
        CONTINUE WHEN NOT is_open OR place.shared_until <= now_ms OR narrower_opened_at < place.opened_at;
      END IF;
      counting := counting || step;
      IF NOT is_open THEN
        opening := opening + 1;
        narrower_opened_at := NULL;
        CONTINUE;
      END IF;
      narrower_opened_at := place.opened_at;
      past := width_bucket(now_ms - windows_ms[take], place.hits);
      IF rate_limit_hits(place.hits, place.totals, past) >= level_budgets[start + step] THEN
        wait_ms := place.hits[past + 1] + windows_ms[take] - now_ms;
        IF refused_wait_ms IS NULL OR wait_ms > refused_wait_ms THEN
          refused_level := step;
          refused_wait_ms := wait_ms;
        END IF;
      END IF;
    END LOOP;

    IF refused_level IS NULL AND opening > 0 AND scope_places + opening > places_max[take] THEN
      refused_level := counting[1];
      refused_wait_ms := least(windows_ms[take], full_wait_ms);
    END IF;
    IF refused_level IS NULL THEN
      FOREACH level IN ARRAY counting LOOP
        planned_levels := planned_levels || start + level;
        planned_takes := planned_takes || take;
      END LOOP;
      scope_places := scope_places + opening;
      IF counting[1] > 1 AND scope_shared_until < now_ms + windows_ms[take] THEN
        scope_shared_until := now_ms + 2 * windows_ms[take];
        changed_scopes := changed_scopes || scope;
        changed_crowds := changed_crowds || whole;
        changed_weights := changed_weights || 0;
        changed_shared_until := changed_shared_until || scope_shared_until;
      END IF;
    END IF;
    starts := starts || start;
    planned_depths := planned_depths || CASE WHEN refused_level IS NULL THEN cardinality(counting) ELSE 0 END;
    refused_levels := refused_levels || refused_level;
    refused_resets_ms := refused_resets_ms || refused_wait_ms::integer;
    start := start + depths[take];
  END LOOP;

  -- Opens or locks every place, in the order of their keys, so that no two calls wait for each other.
  IF cardinality(planned_levels) > 0 THEN
    WITH opened AS (
      INSERT INTO rate_limits AS one
        (key, scope, crowd, weight, hits, totals, opened_at, shared_until, over_at, check_at)
      SELECT DISTINCT ON (level_keys[plan.level])
        level_keys[plan.level], scopes[plan.take], crowds[plan.take],
        CASE WHEN random() * (places_max[plan.take] / sample) < 1
          THEN greatest(1, places_max[plan.take] / sample) ELSE 0 END,
        '{}', '{}', 0, 0, 0, now_ms + windows_ms[plan.take]
      FROM unnest(planned_levels, planned_takes) AS plan (level, take)
      ORDER BY level_keys[plan.level]
      ON CONFLICT (key) DO UPDATE SET weight = one.weight WHERE false
      RETURNING one.scope, one.crowd, one.weight
    )
    SELECT changed_scopes || array_agg(opened.scope), changed_crowds || array_agg(opened.crowd),
      changed_weights || array_agg(opened.weight), changed_shared_until || array_agg(0::bigint)
    INTO changed_scopes, changed_crowds, changed_weights, changed_shared_until
    FROM opened WHERE opened.weight > 0;
  END IF;

  -- With the locks, and at a moment after every hit that is there.
  now_ms := rate_limit_moment(moment_ms);
  FOR take IN 1 .. cardinality(requests) LOOP
    accepted := CASE WHEN planned_depths[take] = 0 THEN 0 ELSE requests[take] END;
    counting_places := '{}';
    lefts := '{}';
    FOR step IN 1 .. planned_depths[take] LOOP
      own := planned_levels[planned + step];
      SELECT * INTO place FROM rate_limits one WHERE one.key = level_keys[own];
      IF place.over_at <= now_ms
        OR place.over_at > now_ms + windows_ms[take] + level_parts_ms[own] + future_max_ms THEN
        place.hits := '{}';
        place.totals := '{}';
        place.opened_at := now_ms;
        place.shared_until := 0;
        place.over_at := 0;
      END IF;
      past := width_bucket(now_ms - windows_ms[take], place.hits);
      lefts := lefts || greatest(0, level_budgets[own] - rate_limit_hits(place.hits, place.totals, past))::integer;
      accepted := least(accepted, lefts[step]);
      counting_places := counting_places || place;
    END LOOP;

    level := NULL;
    remaining := NULL;
    reset_ms := NULL;
    refused_level := refused_levels[take] - 1;
    refused_reset_ms := refused_resets_ms[take];
    FOR step IN 1 .. planned_depths[take] LOOP
      own := planned_levels[planned + step];
      place := counting_places[step];
      past := width_bucket(now_ms - windows_ms[take], place.hits);
      part_ms := level_parts_ms[own];
      hit_at := CASE WHEN part_ms = 0 THEN now_ms ELSE (now_ms + part_ms - 1) / part_ms * part_ms END;
      hit_at := greatest(hit_at, place.hits[cardinality(place.hits)]);
      wait_ms := coalesce(place.hits[past + 1], hit_at) + windows_ms[take] - now_ms;
      IF accepted > 0 AND (remaining IS NULL OR lefts[step] - 1 < remaining) THEN
        level := own - starts[take] - 1;
        remaining := lefts[step] - 1;
        reset_ms := wait_ms;
      END IF;
      IF accepted < requests[take] AND lefts[step] <= accepted
        AND (refused_reset_ms IS NULL OR wait_ms > refused_reset_ms) THEN
        refused_level := own - starts[take] - 1;
        refused_reset_ms := wait_ms;
      END IF;
      IF accepted = 0 THEN
        unused_keys := unused_keys || place.key;
        CONTINUE;
      END IF;
      IF part_ms = 0 THEN
        place.hits := place.hits[past + 1:] || array_fill(hit_at, ARRAY[accepted]);
      ELSE
        -- The last hit that is over stays: its total is what was accepted before the others.
        total := accepted + coalesce(place.totals[cardinality(place.totals)], 0);
        last_kept := cardinality(place.hits);
        IF place.hits[last_kept] = hit_at THEN
          last_kept := last_kept - 1;
        END IF;
        place.hits := place.hits[past:last_kept] || hit_at;
        place.totals := place.totals[past:last_kept] || total;
      END IF;
      IF step = 1 AND own > starts[take] + 1 THEN
        place.shared_until := now_ms + windows_ms[take];
      END IF;
      UPDATE rate_limits one SET
        hits = place.hits, totals = place.totals, opened_at = place.opened_at,
        shared_until = place.shared_until, over_at = greatest(place.over_at, hit_at + windows_ms[take])
      WHERE one.key = place.key;
    END LOOP;
    planned := planned + planned_depths[take];
    RETURN NEXT;
  END LOOP;

  -- Another call has used up, before the lock, what was free without it.
  IF cardinality(unused_keys) > 0 THEN
    WITH unused AS (
      DELETE FROM rate_limits one WHERE one.key = ANY (unused_keys) AND one.over_at = 0
      RETURNING one.scope, one.crowd, one.weight
    )
    SELECT changed_scopes || array_agg(unused.scope), changed_crowds || array_agg(unused.crowd),
      changed_weights || array_agg(-unused.weight), changed_shared_until || array_agg(0::bigint)
    INTO changed_scopes, changed_crowds, changed_weights, changed_shared_until
    FROM unused WHERE unused.weight > 0;
  END IF;
  IF cardinality(changed_scopes) > 0 THEN
    PERFORM count_rate_limit_places(changed_scopes, changed_crowds, changed_weights, changed_shared_until);
  END IF;
END
$$;
