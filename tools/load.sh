#!/usr/bin/env bash
# keiko serve under load: many games at once by wrk, each call a move or a look at the position. Checks the 99th percentile of
# these calls, which do not search, and that memory stays flat.
#   tools/load.sh [PROGRAM]     default build/keiko
# LOAD_GAMES (200), LOAD_SECONDS (60: the measured minute), LOAD_MINUTES (10: how long memory is watched), LOAD_P99_MS (50),
# LOAD_PAUSE (200 ms).
set -euo pipefail
cd "$(dirname "$0")/.."
keiko=${1:-build/keiko}
games=${LOAD_GAMES:-200} seconds=${LOAD_SECONDS:-60} minutes=${LOAD_MINUTES:-10} limit=${LOAD_P99_MS:-50} pause=${LOAD_PAUSE:-200}
command -v wrk >/dev/null || { echo "load.sh: wrk is not installed (package wrk)"; exit 77; }
work=$(mktemp -d)
"$keiko" serve --port 0 --data "$work/data" > "$work/out" 2>&1 &
pid=$!
trap 'kill -TERM $pid 2>/dev/null; wait $pid 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do
  address=$(sed -n 's/^keiko serve: //p' "$work/out")
  [ -z "$address" ] || break
  sleep 0.1
done
[ -n "$address" ] || { cat "$work/out"; exit 1; }

# Every thread of wrk holds its share of the games, and goes through them in turn: moves (which are stored), and looks at the
# position. The calls of a game may overtake each other, so each says the whole line. LOAD_PAUSE: ms between the calls of one
# connection, as people and pages pause; 0 = as fast as it goes.
cat > "$work/play.lua" <<'LUA'
local games, threads = tonumber(os.getenv("LOAD_GAMES")), 2
local pause = tonumber(os.getenv("LOAD_PAUSE"))
local ids, phase, at, asked = {}, {}, 0, 0
local head = { ["Content-Type"] = "application/json" }
local moves = { "d3", "c3", "c4", "e3", "f4", "c5", "d6", "f3" }
function delay() return pause > 0 and math.random(0, 2 * pause) or 0 end
function request()
  if asked < games / threads then
    asked = asked + 1
    return wrk.format("POST", "/api/1/sessions", head, '{"game":"othello","second":"2"}')
  end
  if #ids == 0 then return wrk.format("GET", "/api/1/games") end
  at = at % #ids + 1
  local id, p = ids[at], (phase[at] or 0) + 1
  phase[at] = p % (2 * #moves)
  if p % 2 == 0 then return wrk.format("GET", "/api/1/sessions/" .. id) end
  local line = table.concat(moves, ";", 1, (p + 1) / 2)
  return wrk.format("POST", "/api/1/sessions/" .. id .. "/line", head, '{"moves":"' .. line .. '"}')
end
local bad = 0
function response(status, headers, body)
  local id = status == 201 and body:match('"id":"([%w_-]+)"')
  if id then table.insert(ids, id) end
  if status >= 400 then bad = bad + 1; if bad <= 3 then print("REFUSED " .. status .. " " .. body) end end
end
function done(summary, latency, requests)
  io.write(string.format("RESULT %d %.3f %.3f %.3f %d %d\n", summary.requests, latency:percentile(50) / 1000,
    latency:percentile(99) / 1000, latency.max / 1000, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
LUA
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$pid/status"; }
play() { # SECONDS PAUSE: prints requests p50 p99 max refused broken
  LOAD_GAMES=$games LOAD_PAUSE=$2 wrk -t 2 -c "$games" -d "${1}s" -s "$work/play.lua" "$address" > "$work/wrk" 2>&1
  grep REFUSED "$work/wrk" >&2 || true
  sed -n 's/^RESULT //p' "$work/wrk"
}
failed=0
check() { # NAME VALUE LIMIT
  awk -v v="$2" -v l="$3" 'BEGIN { exit !(v <= l) }' || { echo "load.sh: $1 is $2, more than $3"; failed=1; }
}
report() { # NAME, then what play prints
  echo "$1: $2 requests ($((${2} / seconds)) per second), median $3 ms, p99 $4 ms, most $5 ms, $6 refused, $7 broken"
}

echo "$games games for $seconds s, ${pause} ms between the calls of a game on average"
read -r n p50 p99 most refused broken <<<"$(play "$seconds" "$pause")"
report "calls that do not search" "$n" "$p50" "$p99" "$most" "$refused" "$broken"
check "p99 in ms" "$p99" "$limit"
check "requests refused" "$refused" 0
check "requests broken" "$broken" 0
seconds=10
read -r n p50 p99 most refused broken <<<"$(play "$seconds" 0)"
report "the same without pauses for $seconds s" "$n" "$p50" "$p99" "$most" "$refused" "$broken"
check "requests refused" "$refused" 0

before=$(memory)
echo "memory $before kB; watching it for $minutes minutes"
largest=$before
for _ in $(seq "$minutes"); do
  play 60 0 >/dev/null
  now=$(memory)
  [ "$now" -le "$largest" ] || largest=$now
  echo "  memory $now kB"
done
check "memory in kB after $minutes minutes" "$largest" $((before + before / 10 + 4096))
kill -0 "$pid" || { echo "load.sh: the server is gone"; failed=1; }
[ $failed = 0 ] && echo "load.sh: all good"
exit $failed
