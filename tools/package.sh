#!/usr/bin/env bash
# `make package`: builds the page and the release without traces of this folder (preset package) and packs them into
# build/packages: a .deb, a .tar.gz, and the Python package as a wheel. Times in the archives are the commit's, so that the same
# commit gives the same bytes. Where tools for the page or the wheel are missing, it says so and goes on without.
# CMAKE_OPTIONS adds options.
set -euo pipefail
cd "$(dirname "$0")/.."
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
umask 022
log=$(mktemp)
trap 'rm -rf "$log" bindings/python/build bindings/python/*.egg-info' EXIT
quietly() { "$@" > "$log" 2>&1 || { cat "$log"; exit 1; }; }

site=0
tools/site.sh > "$log" 2>&1 || site=$?
case $site in
  0) ;;
  77) echo "without the page: $(head -n 1 "$log")"; rm -rf build/site build/report.html ;; # an old one is not this commit's
  *) cat "$log"; exit 1 ;;
esac
# shellcheck disable=SC2086
quietly cmake --preset package ${CMAKE_OPTIONS:-}
quietly cmake --build --preset package -j "${JOBS:-2}"
rm -rf build/packages
(cd build/package && quietly cpack)
rm -rf build/packages/_CPack_Packages

PYTHON=${PYTHON:-/usr/bin/python3}
if "$PYTHON" -c 'import sys, setuptools, wheel, pip; assert sys.version_info >= (3, 11)' 2> /dev/null &&
   [ -e "$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]; then
  rm -rf bindings/python/build bindings/python/*.egg-info
  KEIKO_LIBRARY=$PWD/build/package/libkeiko.a quietly "$PYTHON" -m pip wheel --no-build-isolation --no-deps --no-index \
    --disable-pip-version-check -w build/packages bindings/python
else
  echo "without a wheel: needs python3 3.11 or later with setuptools, wheel, pip and its headers (python3-dev)"
fi
(cd build/packages && sha256sum -- * > SHA256SUMS && cat SHA256SUMS)
