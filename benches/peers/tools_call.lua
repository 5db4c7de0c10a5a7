-- One tools/call a request, every answer checked: a status other than 200 or a body without
-- the expected text counts as an error and fails the run.
-- usage: wrk -s tools_call.lua URL -- TOOL ARGUMENTS_JSON EXPECTED_TEXT
local threads = {}
local expected

function setup(thread)
  table.insert(threads, thread)
end

function init(args)
  expected = args[3]
  wrong = 0
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Accept"] = "application/json, text/event-stream"
  wrk.body = string.format(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}',
    args[1], args[2])
end

function response(status, headers, body)
  if status ~= 200 or not string.find(body, expected, 1, true) then
    wrong = wrong + 1
  end
end

function done(summary, latency, requests)
  local wrong_total = 0
  for _, thread in ipairs(threads) do
    wrong_total = wrong_total + thread:get("wrong")
  end
  io.write(string.format(
    'RESULT {"requests":%d,"seconds":%.6f,"p50_us":%d,"p99_us":%d,"wrong":%d,"socket_errors":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50), latency:percentile(99), wrong_total,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
