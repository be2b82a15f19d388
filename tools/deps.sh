#!/usr/bin/env bash
# Installs what a build or a test run needs from the distribution's packages, and nothing that is already there.
#   tools/deps.sh build    compiler-side libraries of the release build
#   tools/deps.sh site     what the page needs: clang's WebAssembly side, node and npm
#   tools/deps.sh test     also the test library, clang and its sanitizer runtime, and what single tests use: without those
#                          they are skipped, so a failure to install them is only reported
set -eu
what=${1:-build}

build="gcc make cmake pkg-config libjansson-dev libsqlite3-dev libzstd-dev libedit-dev libmicrohttpd-dev libnats-dev"
test="libcmocka-dev clang libclang-rt-14-dev clang-format"
site="cmake make clang lld wasi-libc libclang-rt-14-dev-wasm32 binaryen"
command -v npm >/dev/null || site="$site nodejs npm" # packages from elsewhere bring npm with node
# Several machines, the Python package, man pages and shells, the server's load, the page: their tests are skipped without.
optional="nats-server iproute2 faketime python3-numpy python3-pytest python3-setuptools python3-wheel python3-pip python3-dev python3-onnx
  python3-torch groff-base mandoc zsh fish zstd wrk lld wasi-libc libclang-rt-14-dev-wasm32 binaryen chromium fonts-noto-cjk firefox-esr"
case $what in
  build) want=$build optional="" ;;
  site) want=$site optional="" ;;
  test) want="$build $test" ;;
  *) echo "deps.sh: say build, site or test" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "deps.sh: not a Debian-like system; please install the equivalents of: $want" >&2
  exit 0
fi
absent() {
  local p
  for p in "$@"; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q "ok installed" || printf ' %s' "$p"
  done
}
# shellcheck disable=SC2086
missing=$(absent $want) extra=$(absent $optional)
[ -z "$missing$extra" ] && exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    [ -z "$extra" ] || echo "deps.sh: some tests are skipped without these packages:$extra" >&2
    [ -n "$missing" ] || exit 0
    echo "deps.sh: missing packages:$missing. Install them as root and try again." >&2
    exit 1
  fi
  as_root="sudo"
fi
echo "installing:$missing$extra"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq || echo "deps.sh: the package list could not be refreshed; trying with the one at hand" >&2
install() { $as_root apt-get install -y -qq --no-install-recommends "$@" >/dev/null; }
# shellcheck disable=SC2086
[ -z "$missing" ] || install $missing
# shellcheck disable=SC2086
[ -z "$extra" ] || install $extra || echo "deps.sh: some tests are skipped without these packages:$extra" >&2
