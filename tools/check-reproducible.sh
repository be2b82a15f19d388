#!/usr/bin/env bash
# Does the same commit give the same bytes? Builds the packages of HEAD in two folders of different names, without ccache, and
# compares their checksums. Leaves the second set in build/packages. Takes two full builds.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
export CCACHE_DISABLE=1
for name in first a-second-folder; do
  git clone --quiet --local . "$root/$name"
  make --no-print-directory -C "$root/$name" package JOBS="${JOBS:-2}" | tail -n 4
  sleep 1 # times of files must not matter
done
rm -rf build/packages
cp -r "$root/a-second-folder/build/packages" build/packages
if ! diff "$root/first/build/packages/SHA256SUMS" build/packages/SHA256SUMS; then
  echo "check-reproducible: the packages differ"
  exit 1
fi
echo "reproducible: two builds of $(git rev-parse --short HEAD) gave the same bytes"
