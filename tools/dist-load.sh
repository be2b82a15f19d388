#!/usr/bin/env bash
# How much one learner and one nats-server on this machine can take. Builds bench/dist_load, starts a server of its own on a
# free port in a temporary folder, and removes everything at the end.
#   tools/dist-load.sh throughput [GAME] [SECONDS]   eight synthetic workers without pause against one learner
#   tools/dist-load.sh storm [N] [SECONDS]           N light workers (default 1000), one game per second each: connection storm,
#                                                    steady state, then a restart of the learner and of the server
#   tools/dist-load.sh overhead [GAME] [SECONDS]     four real workers: CPU time to play, and to send
#   tools/dist-load.sh learning [GAME] [SEEDS] [SIMS]  local against distributed after the same simulations: 200 games of the two
#                                                    networks per seed, and the mean difference with its interval
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:-throughput}
keiko=build/release/keiko load=build/release/bench/dist_load
command -v nats-server >/dev/null || { echo "dist-load.sh: nats-server is not installed" >&2; exit 2; }
cmake --preset release -DKEIKO_BENCH=ON >/dev/null
cmake --build --preset release -j "${JOBS:-2}" --target keiko dist_load -- --no-print-directory | { grep -E 'error|warning' || true; }
dir=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=nats://127.0.0.1:$port
pids=()
server() { nats-server -js -sd "$dir/js" -a 127.0.0.1 -p "$port" >>"$dir/nats.log" 2>&1 & nats=$!; pids+=("$nats"); sleep 1; }
finish() { for p in "${pids[@]}"; do kill -9 "$p" 2>/dev/null || true; done; wait 2>/dev/null || true; rm -rf "$dir"; }
trap finish EXIT
rss() { awk '/VmRSS/ { printf "%.0f MB", $2 / 1024 }' "/proc/$1/status"; }
cpu() { awk '{ print ($14 + $15) / 100 }' "/proc/$1/stat"; } # seconds
status() { # FIELD: of the learner
  "$keiko" workers --nats "$url" --json | python3 -c 'import json, sys
for r in json.load(sys.stdin):
    if r["kind"] == "learner": print(*(r[k] for k in sys.argv[1:]))' "$@"
}
learner() { # OPTIONS…: learns little, so that taking games in is what is measured
  local resume=()
  [ -f "$dir/r/config.txt" ] && resume=(--resume)
  if [ ${#resume[@]} -gt 0 ]; then
    "$keiko" train "$game" --run "$dir/r" --resume --minutes 60 --nats "$url" "$@" >>"$dir/learner.log" 2>&1 &
  else
    "$keiko" train "$game" --run "$dir/r" --minutes 60 --nats "$url" --net 'c=8 b=1' --lr 0.0001 --samples 0.01 --batch 256 --eval-every 0 \
      --buffer-min 20000 --buffer-max 50000 --checkpoint 10 --threads 1 "$@" >>"$dir/learner.log" 2>&1 &
  fi
  learn=$!
  pids+=("$learn")
}
watch() { # SECONDS: the learner's rate and the processes' memory and CPU time meanwhile
  local end=$((SECONDS + $1)) a b t0 c0 n0
  t0=$(date +%s.%N) c0=$(cpu "$learn") n0=$(cpu "$nats")
  while [ $SECONDS -lt $end ]; do
    read -r a b < <(status positions-s lag) || true
    printf '  learner %8.0f positions/s, lag %6d games, %s; server %s\n' "${a:-0}" "${b:-0}" "$(rss "$learn")" "$(rss "$nats")"
  done
  awk -v t="$t0" -v now="$(date +%s.%N)" -v a="$c0" -v b="$(cpu "$learn")" -v c="$n0" -v d="$(cpu "$nats")" \
    'BEGIN { printf "  cores in use: learner %.2f, server %.2f\n", (b - a) / (now - t), (d - c) / (now - t) }'
}

case $what in
  throughput)
    game=${2:-othello} seconds=${3:-20}
    server
    learner --backlog 20000
    sleep 3
    "$load" "$url" r 8 8 "$seconds" >"$dir/load.log" &
    loading=$!
    watch $((seconds - 3))
    wait $loading
    sed 's/^/  /' "$dir/load.log" ;;
  storm)
    game=tictactoe n=${2:-1000} seconds=${3:-60}
    ulimit -n 65536 2>/dev/null || ulimit -n "$(ulimit -Hn)"
    server
    learner --backlog 200000
    sleep 3
    "$load" "$url" r "$n" 64 "$seconds" 1 >"$dir/load.log" &
    loading=$!
    until grep -q connections "$dir/load.log"; do sleep 0.2; done
    sed 's/^/  /' "$dir/load.log"
    echo "steady state"
    watch $((seconds / 3))
    echo "the learner dies and comes back"
    kill -9 "$learn"; sleep 5; learner --backlog 200000; sleep 2
    watch $((seconds / 6))
    echo "the server dies and comes back"
    kill -9 "$nats"; sleep 1; server
    watch $((seconds / 3))
    wait $loading
    tail -n +2 "$dir/load.log" | sed 's/^/  /'
    sleep 3
    echo "  at the end: games, lag, repeated, refused: $(status games lag repeated refused)" ;;
  overhead)
    game=${2:-contrast} seconds=${3:-60}
    # CPU time, which other programs on the machine disturb least. A worker with one thread plays on its first thread; all its others
    # pack and send games, receive weights and report: they are what the way through the server costs, beside the server itself.
    server
    "$keiko" train "$game" --run "$dir/r" --minutes 60 --nats "$url" --threads 1 --eval-every 0 --samples 0.01 --checkpoint 600 \
      >"$dir/learner.log" 2>&1 &
    learn=$!
    pids+=("$learn")
    sleep 3
    for i in 1 2 3 4; do
      "$keiko" worker --nats "$url" --name "w$i" --threads 1 >"$dir/w$i.log" 2>&1 &
      w[i]=$!
      pids+=($!)
    done
    sleep 5
    n0=$(cpu "$nats") l0=$(cpu "$learn") g0=$(status games)
    sleep "$seconds"
    python3 - "$(cpu "$nats")" "$n0" "$(cpu "$learn")" "$l0" "$(status games)" "$g0" "${w[@]}" <<'END'
import os, sys
n1, n0, l1, l0, g1, g0 = map(float, sys.argv[1:7])
play = other = 0
for pid in sys.argv[7:]:
    for tid in os.listdir(f"/proc/{pid}/task"):
        f = open(f"/proc/{pid}/task/{tid}/stat").read().rsplit(")", 1)[1].split()
        t = (int(f[11]) + int(f[12])) / os.sysconf("SC_CLK_TCK")
        if tid == pid: play += t
        else: other += t
games = g1 - g0
print(f"  four workers: {play:.1f} s of CPU time to play, {other:.2f} s to send ({100 * other / play:.1f} %); {games:.0f} games counted")
print(f"  per game: server {1e3 * (n1 - n0) / games:.2f} ms, learner's intake {1e3 * (l1 - l0) / games:.2f} ms of CPU time")
END
    ;;
  learning)
    game=${2:-contrast} seeds=${3:-5} sims=${4:-6000000} threads=$(nproc)
    mkdir -p "$dir/nets"
    server
    for seed in $(seq "$seeds"); do
      options=(--preset fast --evaluations "$sims" --seed "$seed" --eval-every 0 --threads "$threads")
      "$keiko" train "$game" --run "$dir/local$seed" "${options[@]}" >/dev/null
      "$keiko" train "$game" --run "$dir/far$seed" --nats "$url" "${options[@]}" --backlog 100 --weights-every 1 >"$dir/learner.log" 2>&1 &
      learn=$!
      pids+=("$learn")
      for i in 1 2 3; do # together as many games in flight as the local run has
        "$keiko" worker --nats "$url" --runs "far$seed" --threads "$(((threads + 2) / 3))" --in-flight 22 >/dev/null 2>&1 &
        w[i]=$!
        pids+=($!)
      done
      wait "$learn"
      for i in 1 2 3; do kill "${w[i]}" 2>/dev/null || true; done
      "$keiko" bench -g "$game" -q -n 200 -o "$dir/bench$seed.json" --seed "$seed" \
        -p "far=zero:model=$dir/far$seed/final.safetensors,sims=32;local=zero:model=$dir/local$seed/final.safetensors,sims=32" >"$dir/bench$seed.log"
      grep -E '^ *(far|local) ' "$dir/bench$seed.log" | head -n 2 | sed "s/^/  seed $seed: /"
    done
    python3 - "$dir" "$seeds" <<'END'
import json, math, statistics, sys
dir, seeds = sys.argv[1], int(sys.argv[2])
diff = []
for k in range(1, seeds + 1):
    r = json.load(open(f"{dir}/bench{k}.json"))["ratings"]
    diff.append(r["far"]["rating"] - r["local"]["rating"])
t = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78}.get(seeds, 2.0)
half = t * statistics.stdev(diff) / math.sqrt(seeds) if seeds > 1 else float("nan")
print(f"  distributed minus local after the same simulations: {statistics.mean(diff):+.0f} Elo (95 %: +-{half:.0f}), {seeds} seeds")
END
    ;;
  *) sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
