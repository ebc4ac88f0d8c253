-- Sends the requests of a file in a ring. Arguments: the file of requests, one after the other; the file of their lengths, one
-- per line; the place of the ring at which to begin. At the end it prints its figures as one line of JSON.
local requests, at = {}, 0
local thread

function setup(started)
  thread = started
end

function init(args)
  local file = assert(io.open(args[1], 'rb'))
  for length in io.lines(args[2]) do
    requests[#requests + 1] = file:read(tonumber(length))
  end
  file:close()
  -- One less: wrk asks for one request to check it, and does not send that one.
  at = (tonumber(args[3]) - 1) % #requests
  -- A global, so that done() can ask the thread for it.
  cpuStart = os.clock()
end

function request()
  at = at + 1
  if at > #requests then at = 1 end
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"microseconds":%d,"p50":%d,"p99":%d,"status":%d,"broken":%d,"cpuSeconds":%.6f}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, os.clock() - thread:get('cpuStart')))
end
