#!/usr/bin/env bash
# `make package`: builds the release without traces of this folder (preset package) and packs it into build/packages, a .deb and
# a .tar.gz. Times in the archives are the commit's, so that the same commit gives the same bytes. CMAKE_OPTIONS adds options.
set -euo pipefail
cd "$(dirname "$0")/.."
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
umask 022
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
cmake --preset package ${CMAKE_OPTIONS:-} > "$log" || { cat "$log"; exit 1; }
cmake --build --preset package -j "${JOBS:-2}" > "$log" || { cat "$log"; exit 1; }
rm -rf build/packages
(cd build/package && cpack) > "$log" 2>&1 || { cat "$log"; exit 1; }
rm -rf build/packages/_CPack_Packages
(cd build/packages && sha256sum -- * > SHA256SUMS && cat SHA256SUMS)
