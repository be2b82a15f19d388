#!/usr/bin/env bash
# Installs what a build or a test run needs from the distribution's packages, and nothing that is already there.
#   tools/deps.sh build    compiler-side libraries of the release build
#   tools/deps.sh test     also the test library, clang and its sanitizer runtime
set -eu
what=${1:-build}

build="gcc make cmake pkg-config libjansson-dev libsqlite3-dev libzstd-dev"
test="libcmocka-dev clang libclang-rt-14-dev clang-format mandoc"
case $what in
  build) want=$build ;;
  test) want="$build $test" ;;
  *) echo "deps.sh: say build or test" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "deps.sh: not a Debian-like system; please install the equivalents of: $want" >&2
  exit 0
fi
missing=""
for p in $want; do
  dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q "ok installed" || missing="$missing $p"
done
[ -z "$missing" ] && exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "deps.sh: missing packages:$missing. Install them as root and try again." >&2; exit 1; }
  as_root="sudo"
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq || echo "deps.sh: the package list could not be refreshed; trying with the one at hand" >&2
# shellcheck disable=SC2086
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
