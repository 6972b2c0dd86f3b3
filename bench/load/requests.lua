-- wrk -s requests.lua URL -- FILE (repeated|once) [TEXT]
--
-- Sends the requests of a file: each is eight digits, its length in bytes, and then itself as it goes over the wire.
-- "repeated" sends them in turn for as long as wrk runs, "once" ends the run after the last one. With a text, every
-- answer has to be a 200 with that text in its body. Prints one line of JSON.

local repeated, file
local requests, position = {}, 0
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

local function read()
  local length = file:read(8)
  return length and file:read(tonumber(length))
end

function init(args)
  file = assert(io.open(args[1], 'rb'))
  repeated = args[2] == 'repeated'
  wrong, example = 0, ''
  if repeated then
    for request in read do
      table.insert(requests, request)
    end
  end
  local text = args[3]
  if text then
    response = function(status, _, body)
      if status == 200 and body:find(text, 1, true) then
        return
      end
      wrong = wrong + 1
      example = status .. ' ' .. body:sub(1, 300)
    end
  end
end

local last
function request()
  if repeated then
    position = position % #requests + 1
    return requests[position]
  end
  local next = read()
  if next then
    last = next
  else
    wrk.thread:stop()
  end
  return last
end

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', ' ') .. '"'
end

function done(summary, latency)
  local wrong, example = 0, ''
  for _, thread in ipairs(threads) do
    wrong = wrong + thread:get('wrong')
    example = thread:get('example')
  end
  local errors = summary.errors
  io.write(
    string.format(
      '{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"refused":%d,"broken":%d,"wrong":%d,"example":%s}\n',
      summary.requests,
      summary.duration / 1e6,
      latency:percentile(50) / 1e3,
      latency:percentile(99) / 1e3,
      errors.status,
      errors.connect + errors.read + errors.write + errors.timeout,
      wrong,
      quoted(example)
    )
  )
end
