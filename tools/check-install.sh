#!/usr/bin/env bash
# Installs into a scratch folder and builds a program of a stranger against it: header, both libraries, pkg-config.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
die() { echo "check-install: $1"; exit 1; }
cmake --install build/release --prefix "$root/first" >/dev/null
mv "$root/first" "$root/moved" # the tree may be moved: keiko.pc goes with it
scratch=$root/moved

export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$scratch" -name keiko.pc)")
flags=$(pkg-config --cflags --libs keiko)
static=$(pkg-config --static --libs keiko)
case $flags in *first* | *"$PWD"*) die "keiko.pc names the folder it was installed or built in: $flags" ;; esac
version=$(pkg-config --modversion keiko)
[ "$("$scratch/bin/keiko" --version | awk 'NR == 1 { print $2 }')" = "$version" ] || die "keiko.pc and keiko --version disagree"
lib=$(dirname "$(find "$scratch" -name libkeiko.a)")
[ -e "$lib/libkeiko.so.$version" ] || die "there is no libkeiko.so.$version"
# shellcheck disable=SC2086
gcc -std=c17 -Wall -Wextra -Wpedantic -Werror examples/random_game.c -o "$scratch/shared" $flags
# shellcheck disable=SC2086
gcc -std=c17 -Wall -Wextra -Wpedantic -Werror examples/random_game.c -I"$scratch/include" -o "$scratch/static" "$lib/libkeiko.a" ${static//-lkeiko/}
a=$(LD_LIBRARY_PATH=$lib "$scratch/shared" othello 1)
b=$("$scratch/static" othello 1)
[ "$a" = "$b" ] && [ -n "$a" ] || die "shared and static library disagree"
# The networks that are files are found beside the library, wherever the program is.
mkdir "$root/elsewhere"
cat > "$root/elsewhere/net.c" << 'EOF'
#include <keiko.h>
#include <stdio.h>
int main(void)
{
    keiko_evaluator *net;
    if (keiko_evaluator_open(keiko_game_find("othello"), "othello", NULL, &net) != 0) return puts(keiko_error()), 1;
    keiko_evaluator_close(net);
    return 0;
}
EOF
# shellcheck disable=SC2086
gcc -std=c17 -Wall -Wextra -Wpedantic -Werror "$root/elsewhere/net.c" -o "$root/elsewhere/net" $flags
(cd "$root/elsewhere" && env -u KEIKO_MODELS LD_LIBRARY_PATH="$lib" ./net) || die "the library does not find its models"
# The game of one's own: built against both, learned for two seconds.
# shellcheck disable=SC2086
gcc -std=c17 -O2 -Wall -Wextra -Wpedantic -Werror examples/connect_four.c -o "$scratch/four" $flags
# shellcheck disable=SC2086
gcc -std=c17 -O2 -Wall -Wextra -Wpedantic -Werror examples/connect_four.c -I"$scratch/include" -o "$scratch/four_static" "$lib/libkeiko.a" ${static//-lkeiko/}
LD_LIBRARY_PATH=$lib "$scratch/four" 2 "$scratch/four.safetensors" > "$scratch/four.txt"
grep -q 'against random' "$scratch/four.txt" && [ -s "$scratch/four.safetensors" ] || die "connect_four does not train"
# The CMake package: a program against both libraries, and the example of a game library, loaded by the installed program.
mkdir "$scratch/cmake"
cat > "$scratch/cmake/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.22)
project(stranger C)
find_package(keiko ${VERSION} EXACT REQUIRED)
foreach(kind keiko static)
  add_executable(game_${kind} ${SOURCE}/examples/random_game.c)
  target_link_libraries(game_${kind} PRIVATE keiko::${kind})
endforeach()
add_subdirectory(${SOURCE}/examples/hex hex)
EOF
cmake -S "$scratch/cmake" -B "$scratch/cmake/build" -DCMAKE_PREFIX_PATH="$scratch" -DSOURCE="$PWD" -DVERSION="$version" > "$scratch/cmake.txt" || { cat "$scratch/cmake.txt"; die "find_package(keiko) fails"; }
cmake --build "$scratch/cmake/build" > "$scratch/cmake.txt" 2>&1 || { cat "$scratch/cmake.txt"; die "the CMake package does not link"; }
for kind in keiko static; do
  [ "$a" = "$("$scratch/cmake/build/game_$kind" othello 1)" ] || die "keiko::$kind plays another game"
done
"$scratch/bin/keiko" --game-lib "$scratch/cmake/build/hex/libhex.so" perft hex 3 | grep -qx 'perft 3 = 13800' || die "the game library does not work"
readelf -d "$lib/libkeiko.so" | grep -q 'SONAME.*libkeiko\.so\.[0-9]' || die "the library has no soname"
for f in bin/keiko include/keiko_rules.h share/man/man1/keiko.1 share/bash-completion/completions/keiko; do
  [ -s "$scratch/$f" ] || die "not installed: $f"
done
# The page's weights are links to the program's, also in a tree that was moved. Without `make site` there is no page.
if [ -d "$scratch/share/keiko/site" ]; then
  f=$scratch/share/keiko/site/models/othello.safetensors
  [ -L "$f" ] && cmp -s "$f" models/othello.safetensors || die "the page's weights are no links to the program's: $f"
fi
"$scratch/bin/keiko" --version
"$scratch/bin/keiko" perft contrast 4 | grep -qx 'perft 4 = 1276739132' || die "perft contrast 4 is wrong"

# `make install` and `make uninstall`: what came goes, and nothing else.
mkdir -p "$root/third/bin"
echo mine > "$root/third/bin/mine"
[ ! -f build/installed.txt ] || cp build/installed.txt "$root/installed.txt"
tools/install.sh install "$root/third" > "$root/third.txt"
grep -q 'LD_LIBRARY_PATH' "$root/third.txt" || die "no hint that $root/third/lib is not searched for libraries"
tools/install.sh uninstall > /dev/null
[ ! -f "$root/installed.txt" ] || cp "$root/installed.txt" build/installed.txt
left=$(find "$root/third" -type f -o -type l)
[ "$left" = "$root/third/bin/mine" ] || die "uninstall left: $left"
echo "installed library works, shared and static"
