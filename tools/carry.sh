#!/usr/bin/env bash
# Packs a training run so that `keiko train --resume` can go on with it on another machine, in at most SIZE bytes.
#   tools/carry.sh RUN ARCHIVE [SIZE]        # SIZE: 58M unless given
#   tar -xf ARCHIVE -C runs                  # unpacks runs/RUN
# Packed are the newest checkpoint, the options, the logs and, newest first, as many files of positions as fit. Positions that
# are left behind are replaced by copies of the others when the run is resumed; it says so. Networks that were rated stay
# behind, too. Files of positions are as large as the time between two checkpoints is long (--checkpoint).
set -eu
[ $# -ge 2 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 2; }
run=${1%/} archive=$2 limit=$(numfmt --from=iec "${3:-58M}")
[ -d "$run/checkpoints" ] || { echo "carry: $run is no folder of a training run" >&2; exit 1; }
[ ! -e "$run/lock" ] || flock -n "$run/lock" true || { echo "carry: $run is being trained; stop it first (Ctrl-C saves)" >&2; exit 1; }
name=$(basename "$run") parent=$(dirname "$run")
newest=$(find "$run/checkpoints" -mindepth 1 -maxdepth 1 -name '*-step-*' -printf '%f\n' | sort | tail -n 1)
[ -n "$newest" ] || { echo "carry: $run has no checkpoint yet" >&2; exit 1; }
files=("$name/run.txt" "$name/config.txt" "$name/checkpoints/$newest")
for f in log.jsonl ratings.db remote.txt; do [ ! -e "$run/$f" ] || files+=("$name/$f"); done
# The learner's averaged weights are those of the network beside it: a long window stores them once.
squeeze="zstd -q -3 --long=27 -c"
command -v zstd >/dev/null || squeeze="xz -T0 -6 -c" # a window of 8 MiB
pack() { tar -C "$parent" -cf - "$@" | $squeeze >"$archive"; }
pack "${files[@]}"
size=$(stat -c %s "$archive") taken=0
while IFS=' ' read -r file bytes; do
  [ $((size + bytes)) -le "$limit" ] || break
  files+=("$name/replay/$file") size=$((size + bytes)) taken=$((taken + 1))
done < <(find "$run/replay" -name '*.replay' -printf '%f %s\n' | sort -r)
if [ $taken = 0 ]; then
  rm -f "$archive"
  echo "carry: $size bytes without any positions, and the newest file of positions does not fit into $limit;" \
    "allow more, or train with a smaller --checkpoint" >&2
  exit 1
fi
pack "${files[@]}"
echo "$archive: $(numfmt --to=iec "$(stat -c %s "$archive")"), $newest, $taken of $(find "$run/replay" -name '*.replay' | wc -l) files of positions"
