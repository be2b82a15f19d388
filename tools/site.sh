#!/usr/bin/env bash
# Builds the page into build/site/: the engine as WebAssembly, the bundle, rules and weights. Any web server can serve it.
# build/report.html is the template of `keiko report`.
#   tools/site.sh          build and print the size
#   tools/site.sh test     build, then check the types, the engine under node and the page in Chromium
# Leaves with 77 where the tools for it are missing.
set -eu
cd "$(dirname "$0")/.."

missing=""
for tool in clang wasm-ld node npm cmake; do command -v "$tool" >/dev/null || missing="$missing $tool"; done
[ -f /usr/include/wasm32-wasi/stdlib.h ] || missing="$missing wasi-libc"
[ -n "$(find /usr/lib/llvm-*/lib/clang/*/lib/wasi -name 'libclang_rt.builtins-wasm32.a' 2>/dev/null | head -n 1)" ] || missing="$missing libclang-rt-14-dev-wasm32"
if [ -n "$missing" ]; then
  echo "site.sh: the page cannot be built here; missing:$missing" >&2
  echo "  tools/deps.sh site installs what it needs: clang lld wasi-libc libclang-rt-14-dev-wasm32 nodejs npm (node 20 or later)" >&2
  exit 77
fi
major=$(node -p 'process.versions.node.split(".")[0]')
if [ "$major" -lt 20 ]; then
  echo "site.sh: node $major is too old: the page needs node 20 or later" >&2
  exit 77
fi

cmake --preset wasm >/dev/null
cmake --build --preset wasm -j "${JOBS:-2}" -- --no-print-directory >/dev/null
if [ ! -d web/node_modules ] || [ web/package-lock.json -nt web/node_modules ]; then
  (cd web && npm ci --no-progress --loglevel=error && touch node_modules)
fi
node web/build.mjs "${1:-}"
# What keiko serve sends to browsers that can unpack it; other web servers may do the same, or leave these alone.
find build/site -type f \( -name '*.js' -o -name '*.css' -o -name '*.wasm' -o -name '*.html' -o -name '*.svg' \) -exec gzip -9nkf {} +
echo "build/site/ is ready: for example  python3 -m http.server -d build/site --bind 127.0.0.1"

if [ "${1:-}" = test ]; then
  cd web
  npm run --silent check
  npm test --silent
  npm run --silent e2e
fi
