#!/usr/bin/env bash
# The Python package: builds it against build/release, installs it into build/python and runs its tests. Needs the
# distribution's python3 with numpy, pytest, setuptools and wheel; says so and leaves with 77 without them. Ends with what was
# skipped and why, and the line that every test program ends with: "tests: N passed, N failed, N skipped".
#   tools/python-test.sh [OPTIONS OF PYTEST]
set -eu
cd "$(dirname "$0")/.."
PYTHON=${PYTHON:-/usr/bin/python3}
if ! "$PYTHON" -c 'import sys, numpy, pytest, setuptools, wheel, pip; assert sys.version_info >= (3, 11)' 2>/dev/null ||
   [ ! -e "$("$PYTHON" -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" ]; then
  echo "skipped: the Python package (needs python3-numpy python3-pytest python3-setuptools python3-wheel python3-pip python3-dev)"
  exit 77
fi
[ -e build/release/libkeiko.a ] || make --no-print-directory all
rm -rf build/python
trap 'rm -rf bindings/python/build bindings/python/*.egg-info' EXIT
"$PYTHON" -m pip install --quiet --no-build-isolation --no-deps --no-index --disable-pip-version-check \
  --root-user-action=ignore --target build/python bindings/python
status=0
KEIKO_PROGRAM=$PWD/build/keiko PYTHONPATH=$PWD/build/python PYTHONDONTWRITEBYTECODE=1 \
  "$PYTHON" -m pytest -q -p no:cacheprovider --junitxml=build/python/tests.xml bindings/python/tests "$@" || status=$?
[ -e build/python/tests.xml ] || exit "$status"
"$PYTHON" - build/python/tests.xml << 'EOF'
import sys
from xml.etree import ElementTree

suite = ElementTree.parse(sys.argv[1]).getroot().find("testsuite")
count = {k: int(suite.get(k)) for k in ("tests", "failures", "errors", "skipped")}
bad = count["failures"] + count["errors"]
for case in suite.iter("testcase"):
    for why in case.findall("skipped"):
        print(f"skipped: {case.get('name')}: {why.get('message')}")
print(f"tests: {count['tests'] - bad - count['skipped']} passed, {bad} failed, {count['skipped']} skipped")
EOF
exit "$status"
