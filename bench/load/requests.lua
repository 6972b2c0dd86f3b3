-- wrk -s requests.lua URL -- FILE AMOUNT PACE [TEXT]
--
-- Sends the requests of a file: each is eight digits, its length in bytes, and then itself as it goes over the wire.
-- AMOUNT is "once", which sends each once and then ends the run, or "endless", or how many to send: these two begin
-- again after the last one. PACE is how many to send a second, whichever connection is free, or "fastest". With a
-- text, every answer has to be a 200 with that text in its body. Prints one line of JSON.

local ffi = require('ffi')
ffi.cdef([[
  int getpid(void);
  int kill(int process, int signal);
  typedef struct { long seconds; long nanoseconds; } moment;
  int clock_gettime(int clock, moment *now);
]])
local SIGINT = 2
local CLOCK_MONOTONIC = 1
-- What could not be sent for so long is sent later, at the pace again: a burst would be another load.
local LATE_MAX_MS = 100

local file, next_request, latest
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

local function read()
  local length = file:read(8)
  return length and file:read(tonumber(length))
end

local function repeated(left)
  local requests, position = {}, 0
  for request in read do
    table.insert(requests, request)
  end
  return function()
    left = left - 1
    position = position % #requests + 1
    return left >= 0 and requests[position]
  end
end

local now = ffi.new('moment')

local function monotonic_ms()
  ffi.C.clock_gettime(CLOCK_MONOTONIC, now)
  return tonumber(now.seconds) * 1e3 + tonumber(now.nanoseconds) / 1e6
end

local function keep_pace(per_second)
  local gap_ms, due = 1e3 / per_second, monotonic_ms()
  -- wrk asks before each request how many whole milliseconds to wait. Rounded by chance, these keep to the pace.
  delay = function()
    local at = monotonic_ms()
    due = math.max(due + gap_ms, at - LATE_MAX_MS)
    return math.max(0, math.floor(due - at + math.random()))
  end
end

local function check_answers(text)
  response = function(status, _, body)
    if status == 200 and body:find(text, 1, true) then
      return
    end
    wrong = wrong + 1
    example = status .. ' ' .. body:sub(1, 300)
  end
end

function init(arguments)
  local path, amount, pace, text = unpack(arguments)
  file = assert(io.open(path, 'rb'))
  next_request = amount == 'once' and read or repeated(tonumber(amount) or math.huge)
  wrong, example = 0, ''
  if tonumber(pace) then
    keep_pace(tonumber(pace))
  end
  if text then
    check_answers(text)
  end
end

function request()
  local one = next_request()
  if one then
    latest = one
  else
    wrk.thread:stop()
    -- Otherwise wrk would sleep until its time is over, and count that time as well.
    ffi.C.kill(ffi.C.getpid(), SIGINT)
  end
  return latest
end

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', ' ') .. '"'
end

function done(summary, latency)
  local unexpected, last = 0, ''
  for _, thread in ipairs(threads) do
    unexpected = unexpected + thread:get('wrong')
    last = thread:get('example')
  end
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  local fields = {
    '"requests":' .. summary.requests,
    '"seconds":' .. summary.duration / 1e6,
    '"p50":' .. latency:percentile(50) / 1e3,
    '"p99":' .. latency:percentile(99) / 1e3,
    '"refused":' .. errors.status,
    '"lost":' .. lost,
    '"unexpected":' .. unexpected,
    '"example":' .. quoted(last),
  }
  io.write('{' .. table.concat(fields, ',') .. '}\n')
end
