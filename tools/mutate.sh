#!/usr/bin/env bash
# Mutation testing: do the tests of a layer notice when its code is wrong?
#   tools/mutate.sh [-n N] [-s SEED] [-q] [-l] [LAYER…]      e.g. tools/mutate.sh -n 10 games stats
# Draws N mutants (default 5) from the C files of each layer (default: all folders of src/), changes one place at a time, and
# runs the tests of that layer, tests/LAYER, the quickest and those about the file first, until one fails. What survives is tested
# once more under AddressSanitizer and UBSan, as `make test` does (-q: not), and then, where tests of a layer's files are those of
# the layer that shows them to people, by these: tests/cli for app, tests/app for arena, run and learn, tests/agents for search and
# eval, tests/arena for stats, tests/api for games (games of one's own). The last line says how many each of them killed. A mutant
# is one operator, constant or condition: `<` becomes `<=`, `&&` becomes `||`, `+` becomes `-`, 7 becomes 8, `if (x)` becomes
# `if (!(x))`, and the like. A mutant that does not compile is drawn again, and so is one without effect: with the flags of a
# release the compiler makes the same object of it as of the source. The last line counts these. The same SEED (default 1), source
# and compiler give the same mutants. -l only lists them, without asking the compiler.
# Left out, because no test could see them: logs and asserts; `<` against `<=` between floating-point values or at the end of a
# type (x > UINT32_MAX); checks for memory (&& and || between them, what is returned then); sizes of buffers, waits and numbers of
# threads; room that is made, or a text that is passed on, one step early; how much work a speed is measured with; what needs a GPU;
# errno against EINTR and the like; a time exactly so much later; -1 as the length of a text for SQLite; tables of numbers; how large a
# number a comparison for qsort returns (`? -1 : 1`): its sign counts.
# Printed: killed or SURVIVED, file:line, the change, and which test saw it. A mutant that survives is either a missing test or
# a change without effect; look at each. JOBS (default 2) compile and test at the same time. All work is done on a copy in
# build/mutate, so the source tree is never touched; MUTATE_DIR puts the copy elsewhere. An interrupted run goes on where it was
# when it is started again with the same seed and the same source; verdicts are kept in build/mutate/verdicts.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C # columns are bytes
n=5 seed=1 list=0 quick=0
while getopts n:s:qlh o; do
  case $o in
    n) n=$OPTARG ;;
    s) seed=$OPTARG ;;
    q) quick=1 ;;
    l) list=1 ;;
    *) sed -n '2,24s/^# \{0,1\}//p' "$0"; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
jobs=${JOBS:-2}
home=$PWD
work=${MUTATE_DIR:-build/mutate}
if [ $# = 0 ]; then
  mapfile -t layers < <(cd src && ls -d */ | tr -d /)
  set -- "${layers[@]}"
fi
for layer in "$@"; do
  [ -d "src/$layer" ] || { echo "mutate.sh: there is no folder src/$layer" >&2; exit 2; }
done

# One line per possible mutant of a file: key, file, line, column, old text, new text, kind. The key is a number drawn from
# seed, file, line and column alone; sorted by it, the list is in random order.
candidates() { # FILE
  awk -v file="$1" -v seed="$seed" -v headers="$headers" '
    function roll(x) { return (x * 16807 + 11) % 2147483647 } # below 2^53, so the same in every awk
    function offer(at, old, new, kind) {
      key = roll(roll(roll(roll(base + NR) + at) + length(new)))
      printf "%010d\t%s\t%d\t%d\t%s\t%s\t%s\n", key, file, NR, at, old, new, kind
    }
    # Strings, characters and comments become blanks, so that only code is looked at.
    function code_of(s,    i, c, out, quote, k) {
      out = ""
      for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (quote != "") {
          if (c == "\\") { i++; out = out " " }
          else if (c == quote) quote = ""
          out = out " "
        } else if (inside) {
          if (substr(s, i, 2) == "*/") { inside = 0; i++; out = out " " }
          out = out " "
        } else if (c == "\"" || c == "\047") { quote = c; out = out " " }
        else if (substr(s, i, 2) == "//") break
        else if (substr(s, i, 2) == "/*") { inside = 1; i++; out = out "  " }
        else out = out c
      }
      return out
    }
    # Names of numbers, by kind: of a line such as "double a, *b = x(c, d);" or "float f(double a, int b)".
    function declared(s, type, kind,    part, i, word) {
      while (match(s, "(^|[ (,])(" type ") ")) {
        s = substr(s, RSTART + RLENGTH)
        word = s
        gsub(/=[^,;]*/, "", word)
        split(word, part, ",")
        for (i = 1; i in part; i++) {
          gsub(/^[ *]+/, "", part[i])
          if (part[i] ~ /^(const |unsigned )?[a-z_0-9]+ [*]?[a-z_]/) break # the next has a type of its own
          if (match(part[i], /^[A-Za-z_0-9]+/)) kind[substr(part[i], 1, RLENGTH)] = 1
          if (part[i] ~ /[;)]/) break
        }
      }
    }
    # "if (a == NULL || b == NULL) {", and what follows only frees and says that memory was short.
    function only_memory(    s, part, i, n) {
      s = code
      if (!sub(/^ *if \(/, "", s) || !sub(/\) [{]$/, "", s)) return 0
      n = split(s, part, / [|][|] /)
      for (i = 1; i <= n; i++) if (part[i] !~ /^[a-z_0-9>.-]+ == NULL$|^![a-z_0-9>.-]+$/) return 0
      for (i = 1; i < 4 && text[NR + i] ~ /^ *([a-z_]*free|FREE_ALL|fclose)\(.*;$/; i++) {}
      return text[NR + i] ~ /ERR_MEMORY/
    }
    # The last name of the operand that ends (begins) here: x of a->b.x[i], f of f(y).
    function left(s) {
      sub(/ *$/, "", s)
      while (s ~ /[])]$/) { if (!sub(/\[[^][]*\]$/, "", s) && !sub(/\([^()]*\)$/, "", s)) return "" }
      return match(s, /[A-Za-z_0-9.]+$/) ? last(substr(s, RSTART)) : ""
    }
    function right(s) {
      sub(/^[ (!*-]*/, "", s)
      return match(s, /^[A-Za-z_0-9.]+((->|\[[^][]*\]\.?)[A-Za-z_0-9.]*)*/) ? last(substr(s, 1, RLENGTH)) : ""
    }
    function last(s) {
      if (s ~ /^[0-9]*\.[0-9]/) return s
      gsub(/\[[^][]*\]/, "", s)
      sub(/.*(\.|->)/, "", s)
      return s
    }
    function is_real(s) {
      return (s in real && !(s in whole)) || s ~ /^[0-9]*\.[0-9]/ || s ~ /^(fabs|sqrt|exp|log|pow|fmax|fmin|ceil|floor)f?$|^INFINITY$|^(U?INT|U?LONG|SIZE|SSIZE|U?INT(8|16|32|64))_(MAX|MIN)$/
    }
    # a < b ? a : b: the same when they are equal
    function is_extreme(before, after,    a, b, rest) {
      if (!match(before, /[^ (=,]+ *$/)) return 0
      a = substr(before, RSTART, RLENGTH)
      sub(/ *$/, "", a)
      if (match(after, /^[^ ]+\) [^ ]+ = [^ ]+;/)) { # if (a < b) b = a;
        b = substr(after, 1, index(after, ")") - 1)
        return index(after, b ") " b " = " a ";") == 1 || index(after, b ") " a " = " b ";") == 1
      }
      if (!match(after, /^[^ ]+ [?] /)) return 0
      b = substr(after, 1, RLENGTH - 3)
      rest = substr(after, RLENGTH + 1)
      return (index(rest, a " : " b) == 1 || index(rest, b " : " a) == 1) && substr(rest, length(a b) + 4) ~ /^( [<>]|[;,)]|$)/
    }
    # Every place of `old` with blanks around it.
    function swap(old, new,    from, at) {
      from = 1
      while ((at = index(substr(code, from), " " old " ")) > 0) {
        from += at + length(old)
        # Whether a real number is less than another or at most that is no difference, nor is a limit that no test can reach.
        if (old ~ /^[<>]=?$/ && (is_real(left(substr(code, 1, from - length(old) - 1))) || is_real(right(substr(code, from))))) continue
        if (old ~ /^[<>]=?$/ && is_extreme(substr(code, 1, from - length(old) - 1), substr(code, from + 1))) continue
        # Nor is a time that is exactly so much later.
        if (old ~ /^[<>]=?$/ && substr(code, 1, from - length(old) - 1) ~ /(^|[^a-z_])(now|clock_seconds\(\)) - [a-z_0-9>.-]+(\[[a-z]\][a-z_.]*)? *$/ && code !~ /uint64_t/) continue
        # How much is measured decides a speed alone; room that is made one step early, or a text that is passed on early, is the same.
        if (measures && old !~ /^([=!]=|&&|\|\|)$/) continue
        if (old == ">" && code ~ /^ *if \(.*\) [{]$/ && right(substr(code, from)) ~ /room$|^cap$/) continue
        if (substr(code, from) ~ /^ ?E(INTR|INVAL|NOTSUP|ROFS)[^A-Z]/) continue # no test makes the system answer so
        if (old ~ /^(>|&&)$/ && code ~ /> 1 << [0-9]+ [?] [a-z_]*flush\(/) continue
        if (short && old ~ /^(&&|\|\||[<>]=?)$/) continue # memory was short, and no test makes it short
        offer(from - length(old), old, new, "operator")
      }
    }
    BEGIN {
      base = roll(seed)
      for (i = 1; i <= length(file); i++) base = roll(base + index("abcdefghijklmnopqrstuvwxyz0123456789_/.", substr(file, i, 1)))
      measures = file ~ /speed[a-z_]*\.c$/ && file !~ /\/cli\//
      integer = "int|unsigned|long|char|bool|size_t|ssize_t|off_t|u?int[0-9]+_t"
      while ((getline line < headers) > 0) { declared(line, "double|float", real); declared(line, integer, whole) }
      while ((getline line < file) > 0) { declared(line, "double|float", real); declared(line, integer, whole); text[++lines] = line }
    }
    {
      short = ($0 text[NR + 1] text[NR + 2]) ~ /ERR_MEMORY/ && $0 ~ /NULL|!|alloc|^ *(if|\|\||&&)/ && ($0 ~ /ERR_MEMORY/ || text[NR + 1] ~ /^ *return .*ERR_MEMORY/ || (text[NR + 1] ~ /^ *return/ && text[NR + 2] ~ /ERR_MEMORY/) || (text[NR + 1] ~ /^ *(free|FREE_ALL)\(/ && text[NR + 2] ~ /^ *return .*ERR_MEMORY/))
      if ((text[NR + 1] text[NR + 2]) ~ /^ *([?] ERR_OK *)?: err_set\(ERR_MEMORY/) short = 1
      code = code_of($0)
      if (only_memory()) short = 1
      # No code that runs, or nothing that a test could see: the preprocessor, asserts, sizes, logs.
      if (code ~ /^ *#/ || deep || code ~ /assert|^ *enum|sizeof|log_(info|warn|debug)|^ *(static )?const char|KEIKO_X86/) {
        deep = code ~ /^ *#.*\\$/ || (deep && code ~ /\\$/)
        next
      }
      if (code ~ /^[a-z].*\(/) sorts = code ~ /^static int [a-z_0-9]+\(const void \*[a-z_0-9]+, const void \*[a-z_0-9]+\)$/
      # Function heads, file scope, tables of numbers, members of an enum, sizes of arrays.
      if (code !~ /^ / || code ~ /^[ {}0-9,.;-]*$/ || code ~ /^ *[A-Z][A-Z_0-9]* = [0-9]+,?/) next
      if (code ~ /^ *(static |const |unsigned |struct )*[a-z_0-9]+ [^=(]*\[[^=(]*\][^=(]*;/) next
      swap("<", "<="); swap("<=", "<"); swap(">", ">="); swap(">=", ">"); swap("==", "!="); swap("!=", "==")
      swap("&&", "||"); swap("||", "&&"); swap("+", "-"); swap("-", "+"); swap("/", "*")
      swap("<<", ">>"); swap(">>", "<<"); swap("&", "|"); swap("|", "&"); swap("+=", "-="); swap("-=", "+=")
      if (match(code, /return (true|false);/) && !(code ~ /== NULL\) return/ && text[NR - 1] ~ /alloc\(/)) # memory was short
        offer(RSTART + 7, substr(code, RSTART + 7, RLENGTH - 8), substr(code, RSTART + 7, 4) == "true" ? "false" : "true", "constant")
      if (match(code, /^ *(else )?if \(/)) { # a condition that ends on its line
        start = RSTART + RLENGTH - 1
        depth = 0
        for (i = start; i <= length(code); i++) {
          c = substr(code, i, 1)
          if (c == "(") depth++
          if (c == ")" && --depth == 0) break
        }
        if (depth == 0 && i <= length(code)) {
          old = substr($0, start, i - start + 1)
          offer(start, old, "(!" old ")", "condition")
        }
      }
      # Of what a comparison for qsort returns only the sign counts: `? -1 : 1` against `? -2 : 2`.
      if (sorts && code ~ /[?] -?1 : -?1;/) next
      # Whole decimal numbers behind an operator, a comma, a bracket or return; not the sizes of arrays that are declared.
      if (code !~ /^ *(static |const )*(unsigned |struct )?[a-z_0-9]+ \**[a-z_0-9]+\[/ &&
          file !~ /speed[a-z_]*\.c$/ && code !~ /close\(|vsnprintf|alloc|room|capacity|grow|reserve|bump_|_sleep|poll\(|prefetch|threads/) {
        rest = code; gone = 0
        while (match(rest, /(return|[-=<>+*\/,(?:]) ?[0-9]+[ ;,)]/)) {
          piece = substr(rest, RSTART, RLENGTH)
          match(piece, /[0-9]+/)
          number = substr(piece, RSTART, RLENGTH)
          at = index(rest, piece) + RSTART - 1
          # Where SQLite takes the length of a text, -2 is as good as -1: up to its end.
          ends = piece ~ /^-/ && code ~ /sqlite3_(prepare_v[23]|bind_text)\(/
          if (length(number) < 7 && !ends) offer(gone + at, number, number + 1, "constant")
          gone += at + length(number) - 1
          rest = substr(rest, at + length(number))
        }
      }
    }' "$1"
}
headers=$(mktemp)
trap 'rm -f "$headers"' EXIT
cat $(find src include -name '*.h' | sort) > "$headers"

# Files whose instructions this processor lacks would only survive.
has() { grep -qw "$1" /proc/cpuinfo 2>/dev/null; }
files_of() { # LAYER
  find "src/$1" -name '*.c' | sort | while read -r f; do
    case $f in
      *_avx2.c) has avx2 || continue ;;
      *_avx512.c) has avx512f || continue ;;
      *_vnni.c) has avx512_vnni || continue ;;
      */cuda/* | */speed_gpu.c) continue ;; # nor is a GPU asked for
    esac
    echo "$f"
  done
}
drawn() { # LAYER: all its candidates in the order in which they are tried
  files_of "$1" | while read -r f; do candidates "$f"; done | sort
}

if [ $list = 1 ]; then
  for layer in "$@"; do
    drawn "$layer" | awk -F '\t' -v n="$n" 'NR <= n { printf "%s:%s  %s  ->  %s\n", $2, $3, $5, $6 }'
  done
  exit
fi

# --- the copy, and its build
tree=$work/tree
mkdir -p "$tree"
rm -rf "${tree:?}"/* # times are kept, so an unchanged file is not compiled again
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' f; do
  if [ -f "$f" ]; then printf '%s\0' "$f"; fi
done | tar -c --null -T - | tar -x -C "$tree"
# Objects of mutants of an earlier run are newer than the files just copied: those are compiled again.
if [ -f "$work/mutated.txt" ]; then
  sort -u -o "$work/mutated.txt" "$work/mutated.txt"
  while read -r f; do [ ! -f "$tree/$f" ] || touch "$tree/$f"; done < "$work/mutated.txt"
fi
rm -rf "$work/pristine" # the source as it was when the run began: it may be edited meanwhile
mkdir -p "$work/pristine"
cp -Rp "$tree/src" "$tree/include" "$work/pristine"
ln -sfn tree/models "$work/models" # where programs of the build look
[ ! -e ../shared ] || ln -sfn "$home/../shared" "$work/shared"
# Ninja and lld make the smallest rebuild the quickest; without them it is make and the usual linker.
more=()
command -v ninja >/dev/null && more+=(-G Ninja)
command -v ld.lld >/dev/null && for kind in EXE SHARED; do more+=("-DCMAKE_${kind}_LINKER_FLAGS=-fuse-ld=lld"); done
configure() { # FOLDER SANITIZERS
  [ -f "$work/$1/CMakeCache.txt" ] && cmake "$work/$1" >/dev/null && return
  rm -rf "${work:?}/$1"
  cmake -S "$tree" -B "$work/$1" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKEIKO_TESTS=ON -DCMAKE_LINK_DEPENDS_NO_SHARED=ON \
    -DKEIKO_SANITIZE="$2" "${more[@]}" >/dev/null
}
configure build ""
[ $quick = 1 ] || configure asan address,undefined
cd "$work"

compile() { # FOLDER TARGET…
  local folder=$1
  shift
  cmake --build "$folder" -j "$jobs" --target "$@" >build.log 2>&1
}
# One test, while no other has failed: FOLDER TEST SECONDS CPU-SECONDS. Its name goes to failed.txt if it fails, is too slow or
# crashes, its CPU and wall seconds to passed.txt otherwise. A mutant may loop for ever; CPU seconds do not depend on what else
# the machine does.
cat > one.sh <<'END'
[ ! -s failed.txt ] || exit 0
attempt() { # FOLDER TEST SECONDS CPU-SECONDS
  (cd "$1/tests" && ulimit -S -t "$4" && exec timeout -k 5 "$3" "./$2" >/dev/null 2>&1) &
  while kill -0 $! 2>/dev/null; do
    if [ -s failed.txt ]; then kill $! 2>/dev/null; wait; exit 0; fi
    sleep 0.1
  done
  wait $! && status=0 || status=$?
}
attempt "$@"
# As in `make test`, what fails is tried once more: a busy machine is no mutant.
case $status in 0 | 77 | 124 | 137 | 152) ;; *) attempt "$@" ;; esac
case $status in
  0 | 77)
    times > "times-$2.txt"
    tail -n 1 "times-$2.txt" | tr 'ms' '  ' | awk -v name="$2" -v wall=$SECONDS '{ printf "%.1f %d %s\n", 60 * ($1 + $3) + $2 + $4, wall, name }' >> passed.txt
    rm "times-$2.txt" ;;
  124 | 137 | 152) echo "$2 (Timeout)" >> failed.txt ;;
  *) echo "$2 (Failed)" >> failed.txt ;;
esac
END
run() { # FOLDER PLAN [FILE]: the tests of a plan, lines "test seconds cpu-seconds", in its order; those about FILE come early
  : > failed.txt
  : > passed.txt
  near_first "$2" "${3:-}" | xargs -P "$jobs" -L 1 bash one.sh "$1"
  [ ! -s failed.txt ]
}
# A plan in another order: tests that include the file's header or bear its name count a tenth of their time.
near_first() { # PLAN FILE
  local stem near
  stem=$(basename "$2" .c)
  near=$(cd tree/tests && grep -rlE --include='test_*.c' "/$stem\.h\"" . | sed 's|.*/||; s|\.c$||' | tr '\n' ' ')
  awk -v stem="$stem" -v near=" $near" '
    { about = stem != "" && (index(near, " " $1 " ") || index($1, stem) || index("test_" stem, $1)); print $3 / (about ? 10 : 1), $0 }' "$1" |
    sort -n -s -k 1,1 | cut -d ' ' -f 2-
}
apply() { # FILE LINE COLUMN OLD NEW, in the copy
  echo "$1" >> mutated.txt
  OLD=$4 NEW=$5 awk -v line="$2" -v at="$3" '
    NR == line { print substr($0, 1, at - 1) ENVIRON["NEW"] substr($0, at + length(ENVIRON["OLD"])); next } { print }
  ' "pristine/$1" > tree/"$1"
}
restore() { cp -p "pristine/$1" "tree/$1"; touch "tree/$1"; }
# A file of the copy as a release would have it, without debug information, which knows lines and columns: "trivial compiler
# equivalence". The tests run code of -O1.
optimised() { # FILE OBJECT
  local command
  command=$(grep -m 1 "\"command\".* -c [^ ]*/tree/$1\"" build/compile_commands.json) || return 1
  command=$(sed 's/^ *"command": "//; s/",$//; s/\\\(.\)/\1/g; s/ -O1 / -O3 -DNDEBUG /; s/ -g1 / /; s| -o [^ ]* | -o "$2" |' <<< "$command")
  (cd build && eval "$command") >build.log 2>&1
}

# Verdicts of an earlier start on the same source: "verdict<TAB>seconds<TAB>test<TAB>mutant" behind a line with seed and source.
key="seed $seed source $(cd tree && find src tests -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-16)"
if [ "$(head -n 1 verdicts.txt 2>/dev/null)" != "$key" ]; then echo "$key" > verdicts.txt; fi
earlier() { # MUTANT: its line, if there is one
  MUTANT=$1 awk -F '\t' '$4 == ENVIRON["MUTANT"]' verdicts.txt | head -n 1
}
# The layer whose tests reach files of this one that it has no tests of its own for.
shown_by() { # LAYER
  case $1 in
    app) echo cli ;;
    arena | run | learn) echo app ;;
    games) echo api ;;
    search | eval) echo agents ;;
    stats) echo arena ;;
  esac
}
tests_of() { # LAYER
  (cd "tree/tests/$1" 2>/dev/null && ls test_*.c 2>/dev/null) | sed 's/\.c$//' | tr '\n' ' '
}
show() { # VERDICT SECONDS TEST MUTANT
  case $1 in
    survived)
      lived=$((lived + 1))
      echo "SURVIVED  $4  ($2 s)"
      echo "$4" >> survivors.txt ;;
    killed)
      killed=$((killed + 1))
      case $3 in
        *", sanitizers") by_sanitizers=$((by_sanitizers + 1)) ;;
        *", tests/"*) by_others=$((by_others + 1)) ;;
      esac
      echo "killed    $4  by $3  ($2 s)" ;;
  esac
}

killed=0 lived=0 same=0 by_sanitizers=0 by_others=0
: > survivors.txt
rm -f plan-*.txt
for layer in "$@"; do
  tests=$(tests_of "$layer")
  [ -n "$tests" ] || { echo "$layer: no tests, left out"; continue; }
  # What a mutant changes: the shared library of all layers but serve and cli, and the program where tests start it.
  targets=keiko_inner
  ! grep -rq KEIKO_PROGRAM "tree/tests/$layer" || targets="$targets keiko"
  case $layer in cli | serve) targets="keiko $tests" ;; esac
  above=$(shown_by "$layer")
  ready=0
  plan() { # PLAN TEST…: builds these tests and runs them once; the plan is the quickest first
    local to=$1 each
    shift
    compile build keiko "$@" || { tail -n 20 build.log; echo "mutate.sh: the copy does not compile" >&2; exit 1; }
    for each in "$@"; do echo "$each 900 900"; done > "$to"
    run build "$to" || { cat failed.txt; echo "mutate.sh: tests fail without any mutant" >&2; exit 1; }
    sort -n passed.txt | awk '{ printf "%s %d %d\n", $3, 60 + 5 * $2, 10 + 5 * $1 }' > "$to.new"
    mv "$to.new" "$to"
  }
  prepare() { # when it is needed first
    [ $ready = 0 ] || return 0
    # shellcheck disable=SC2086
    [ -f "plan-$layer.txt" ] || plan "plan-$layer.txt" $tests
    awk '{ print $1, 5 * $2, 5 * $3 }' "plan-$layer.txt" > plan-asan.txt
    # shellcheck disable=SC2046
    [ -z "$above" ] || [ -f "plan-$above.txt" ] || plan "plan-$above.txt" $(tests_of "$above")
    ready=1
  }
  found=0
  (cd pristine && drawn "$layer") > drawn.txt
  while [ $found -lt "$n" ] && IFS=$'\t' read -r _ file line column old new _ <&3; do
    what=$(printf '%s:%s  %s  ->  %s' "$file" "$line" "$old" "$new")
    IFS=$'\t' read -r verdict took test _ <<< "$(earlier "$what")" || true
    if [ -z "${verdict:-}" ]; then
      prepare
      optimised "$file" ../original.o || continue # not in this build
      apply "$file" "$line" "$column" "$old" "$new"
      start=$SECONDS
      test=-
      # shellcheck disable=SC2086
      if ! optimised "$file" ../mutant.o; then
        verdict=void
      elif cmp -s mutant.o original.o; then
        verdict=same
      elif ! compile build $targets; then
        verdict=void
      elif ! run build "plan-$layer.txt" "$file"; then
        verdict=killed test=$(head -n 1 failed.txt)
      else
        verdict=survived
        if [ $quick = 0 ]; then
          # shellcheck disable=SC2086
          compile asan keiko $tests || { tail -n 20 build.log; exit 1; }
          run asan plan-asan.txt "$file" || verdict=killed test="$(head -n 1 failed.txt), sanitizers"
        fi
        if [ $verdict = survived ] && [ -n "$above" ] && compile build keiko && ! run build "plan-$above.txt" "$file"; then
          verdict=killed test="$(head -n 1 failed.txt), tests/$above"
        fi
      fi
      took=$((SECONDS - start))
      restore "$file"
      printf '%s\t%s\t%s\t%s\n' "$verdict" "$took" "$test" "$what" >> verdicts.txt
    fi
    case $verdict in
      void) ;;
      same) same=$((same + 1)) ;;
      *) found=$((found + 1)) ;;
    esac
    show "$verdict" "$took" "$test" "$what"
  done 3< drawn.txt
done
[ ! -s survivors.txt ] || { printf '\nsurvivors\n'; cat survivors.txt; }
printf '\n%d killed of %d, %d %% (%d by tests of their layer, %d by the sanitizers, %d by tests of another layer); %d drawn without effect were replaced; %d s\n' \
  $killed $((killed + lived)) $((killed + lived > 0 ? 100 * killed / (killed + lived) : 0)) $((killed - by_sanitizers - by_others)) $by_sanitizers $by_others $same $SECONDS
