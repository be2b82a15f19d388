#!/usr/bin/env bash
# Syntax of the examples in deploy/: what a tool is installed for is checked, the rest is named as skipped.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
bad=0 skipped=""
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
have() { command -v "$1" >/dev/null || { skipped="$skipped $1"; return 1; }; }
if have yamllint; then
  yamllint -d '{extends: default, rules: {line-length: {max: 140}}}' deploy/compose.yaml deploy/kubernetes || bad=1
fi
for f in deploy/slurm/*.sbatch tools/dist-load.sh; do bash -n "$f" || bad=1; done
if have systemd-analyze; then
  # The units name the installed program; a copy that names one that surely exists is verified.
  for f in deploy/systemd/*.service; do
    sed 's|^ExecStart=keiko|ExecStart=/bin/true|' "$f" > "$work/$(basename "$f" | sed 's/@/@contrast-c1/')"
  done
  systemd-analyze verify --man=no "$work"/*.service 2> "$work/said" || bad=1
  grep -F "$work" "$work/said" | sed "s|$work/||" && bad=1
fi
if have nats-server; then
  # The files that are named need not be there: TLS is left out of the check.
  for f in deploy/nats/*.conf; do
    sed '/^tls {/,/^}/d; s|/var/lib/nats|'"$work"'/js|' "$f" > "$work/nats.conf"
    NODE=n1 LEARNER_PASSWORD=a WORKER_PASSWORD=b VIEWER_PASSWORD=c nats-server -t -c "$work/nats.conf" > "$work/said" 2>&1 ||
      { echo "$f:"; cat "$work/said"; bad=1; }
  done
fi
[ -z "$skipped" ] || echo "not installed, so not checked:$skipped"
[ $bad = 0 ] && echo "deploy: all examples are well-formed"
exit $bad
