#!/usr/bin/env bash
# Installs into a scratch folder and builds a program of a stranger against it: header, both libraries, pkg-config.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install build/release --prefix "$scratch" >/dev/null

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$scratch" -name keiko.pc)")
flags=$(pkg-config --define-variable=prefix="$scratch" --cflags --libs keiko)
static=$(pkg-config --define-variable=prefix="$scratch" --static --libs keiko)
lib=$(dirname "$(find "$scratch" -name libkeiko.a)")
# shellcheck disable=SC2086
gcc -std=c17 -Wall -Wextra -Wpedantic -Werror examples/random_game.c -o "$scratch/shared" $flags
# shellcheck disable=SC2086
gcc -std=c17 -Wall -Wextra -Wpedantic -Werror examples/random_game.c -I"$scratch/include" -o "$scratch/static" "$lib/libkeiko.a" ${static//-lkeiko/}
a=$(LD_LIBRARY_PATH=$lib "$scratch/shared" othello 1)
b=$("$scratch/static" othello 1)
[ "$a" = "$b" ] && [ -n "$a" ] || { echo "shared and static library disagree"; exit 1; }
# The game of one's own: built against both, learned for two seconds.
# shellcheck disable=SC2086
gcc -std=c17 -O2 -Wall -Wextra -Wpedantic -Werror examples/connect_four.c -o "$scratch/four" $flags
# shellcheck disable=SC2086
gcc -std=c17 -O2 -Wall -Wextra -Wpedantic -Werror examples/connect_four.c -I"$scratch/include" -o "$scratch/four_static" "$lib/libkeiko.a" ${static//-lkeiko/}
LD_LIBRARY_PATH=$lib "$scratch/four" 2 "$scratch/four.safetensors" > "$scratch/four.txt"
grep -q 'against random' "$scratch/four.txt" && [ -s "$scratch/four.safetensors" ] || { echo "connect_four does not train"; exit 1; }
for f in bin/keiko share/man/man1/keiko.1 share/bash-completion/completions/keiko; do
  [ -s "$scratch/$f" ] || { echo "not installed: $f"; exit 1; }
done
"$scratch/bin/keiko" --version
echo "installed library works, shared and static"
