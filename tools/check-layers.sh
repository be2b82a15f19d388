#!/usr/bin/env bash
# A file may include only its own folder and the folders above it in this list: data flows one way.
set -eu
cd "$(dirname "$0")/.."
layers="base games search nn eval agents stats arena run learn dist app api wasm serve cli"

rank() { local i=0; for l in $layers; do [ "$l" = "$1" ] && { echo $i; return; }; i=$((i + 1)); done; echo -1; }

bad=0 seen=0
while IFS=: read -r file line text; do
  from=$(echo "$file" | cut -d/ -f2)
  to=$(echo "$text" | sed -n 's/.*"\([a-z]*\)\/.*/\1/p')
  seen=$((seen + 1))
  [ -z "$to" ] && to=$from # "keiko.h" and the like
  f=$(rank "$from") t=$(rank "$to")
  if [ "$f" -lt 0 ]; then echo "$file:$line: folder '$from' is not in the layer list"; bad=1; continue; fi
  if [ "$t" -lt 0 ]; then echo "$file:$line: includes unknown folder '$to'"; bad=1; continue; fi
  # stats is pure functions over results and nn knows tensors only: neither sees a game.
  if [ "$t" -gt "$f" ]; then echo "$file:$line: $from/ may not include $to/ (it lies below)"; bad=1; fi
  # Sessions and the advisor are what the browser build links: they see nothing above agents/ but the advisor's intervals.
  case "$file" in src/app/session* | src/app/advise* | src/app/puyo_call*)
    case "$to:$file" in
      stats:src/app/advise* | stats:src/app/puyo_call*) ;;
      stats:* | arena:* | run:* | learn:* | dist:*) echo "$file:$line: the browser build may not know $to/"; bad=1 ;;
    esac ;;
  esac
  case "$from:$to" in
    run:games | run:nn | run:agents | run:arena | nn:games | nn:search | stats:games | stats:search | stats:nn | stats:eval | stats:agents | search:nn | games:search)
      echo "$file:$line: $from/ may not know $to/"; bad=1 ;;
  esac
done < <(grep -rnE '^#include "' src --include='*.c' --include='*.h' --include='*.cu' --include='*.cuh')

# Only cli/ and serve/ print or exit.
if grep -rnE '(^|[^a-z_])(printf|puts|putchar|exit|abort)\(' src --include='*.c' | grep -vE '^src/(cli|serve)/' |
   grep -vE ':[0-9]+: *//'; then
  echo "only src/cli and src/serve may print to stdout or exit"; bad=1
fi
# A wait until a date would last as long as somebody sets the date back: clock_after() in base/clock.
if grep -rn 'CLOCK_REALTIME' src --include='*.c' --include='*.h' | grep -v '^src/base/clock.c:'; then
  echo "only src/base/clock.c may ask for the date"; bad=1
fi
[ "$seen" -gt 0 ] || { echo "no includes found: wrong folder?"; exit 1; }
[ $bad = 0 ] && echo "layers: $seen includes, all point down the list"
exit $bad
