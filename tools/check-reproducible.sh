#!/usr/bin/env bash
# Does the same commit give the same bytes? Builds the packages of HEAD in two folders of different names, without ccache, and
# compares checksums: of the packages (.deb, .tar.gz, wheel) and of each file of the page. Leaves the second set in
# build/packages. Takes two full builds.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$(mktemp -d)
commit=$(git rev-parse HEAD) # of both, even if another one is made meanwhile
trap 'rm -rf "$root"' EXIT
export CCACHE_DISABLE=1
for name in first a-second-folder; do
  git clone --quiet --local --no-checkout . "$root/$name"
  git -C "$root/$name" checkout --quiet "$commit"
  if [ -d web/node_modules ]; then cp -a web/node_modules "$root/$name/web/"; touch "$root/$name/web/node_modules"; fi # no download
  make --no-print-directory -C "$root/$name" package JOBS="${JOBS:-2}"
  (cd "$root/$name/build" && find site report.html -type f 2> /dev/null | LC_ALL=C sort | xargs -r sha256sum > "$root/$name.page") || true
  sleep 1 # times of files must not matter
done
rm -rf build/packages
mkdir -p build
cp -r "$root/a-second-folder/build/packages" build/packages
bad=0
diff "$root/first/build/packages/SHA256SUMS" build/packages/SHA256SUMS || bad=1
diff "$root/first.page" "$root/a-second-folder.page" || bad=1
if [ $bad = 1 ]; then
  [ -z "${KEEP:-}" ] || { trap - EXIT; echo "both builds are kept in $root"; }
  echo "check-reproducible: the two builds differ"
  exit 1
fi
echo "reproducible: two builds of ${commit:0:10} gave the same bytes:" \
  "$(wc -l < build/packages/SHA256SUMS) packages, $(wc -l < "$root/first.page") files of the page"
