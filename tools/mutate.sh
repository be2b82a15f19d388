#!/usr/bin/env bash
# Mutation testing: do the tests of a layer notice when its code is wrong?
#   tools/mutate.sh [-n N] [-s SEED] [-l] [LAYER…]      e.g. tools/mutate.sh -n 10 games stats
# Draws N mutants (default 5) from the C files of each layer (default: all folders of src/), changes one place at a time, and
# runs the tests of that layer, tests/LAYER, until one fails. A mutant is one operator, constant or condition: `<` becomes
# `<=`, `&&` becomes `||`, `+` becomes `-`, 7 becomes 8, `if (x)` becomes `if (!(x))`, and the like. A mutant that does not
# compile, or that compiles to the same code, is drawn again. The same SEED (default 1) and the same source give the same
# mutants, on every machine. -l only lists them.
# Printed: killed or SURVIVED, file:line, the change, and which test saw it. A mutant that survives is either a missing test or
# a change without effect; look at each. JOBS (default 2) compile and test at the same time. All work is done on a copy in
# build/mutate, so the source tree is never touched; MUTATE_DIR puts the copy elsewhere. An interrupted run goes on where it was
# when it is started again with the same seed and the same source; verdicts are kept in build/mutate/verdicts.txt.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C # columns are bytes
n=5 seed=1 list=0
while getopts n:s:lh o; do
  case $o in
    n) n=$OPTARG ;;
    s) seed=$OPTARG ;;
    l) list=1 ;;
    *) sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 2 ;;
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
  awk -v file="$1" -v seed="$seed" '
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
    # Every place of `old` with blanks around it. Whether a float is less than 0.5 or at most 0.5 is no difference.
    function swap(old, new,    from, at) {
      from = 1
      while ((at = index(substr(code, from), " " old " ")) > 0) {
        from += at + length(old)
        if (old !~ /^[<>]=?$/ || substr(code, from) !~ /^ -?[0-9]*\.[0-9]/) offer(from - length(old), old, new, "operator")
      }
    }
    BEGIN {
      base = roll(seed)
      for (i = 1; i <= length(file); i++) base = roll(base + index("abcdefghijklmnopqrstuvwxyz0123456789_/.", substr(file, i, 1)))
    }
    {
      code = code_of($0)
      # No code that runs, or nothing that a test could see: the preprocessor, asserts, sizes, logs.
      if (code ~ /^ *#/ || deep || code ~ /assert|^ *enum|sizeof|log_(info|warn|debug)|^ *(static )?const char|KEIKO_X86/) {
        deep = code ~ /^ *#.*\\$/ || (deep && code ~ /\\$/)
        next
      }
      if (code !~ /^ /) next # function heads and file scope
      swap("<", "<="); swap("<=", "<"); swap(">", ">="); swap(">=", ">"); swap("==", "!="); swap("!=", "==")
      swap("&&", "||"); swap("||", "&&"); swap("+", "-"); swap("-", "+"); swap("/", "*")
      swap("<<", ">>"); swap(">>", "<<"); swap("&", "|"); swap("|", "&"); swap("+=", "-="); swap("-=", "+=")
      if (match(code, /return (true|false);/))
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
      # Whole decimal numbers behind an operator, a comma, a bracket or return; not the sizes of arrays that are declared.
      if (code !~ /^ *(static |const )*(unsigned |struct )?[a-z_0-9]+ \**[a-z_0-9]+\[/) {
        rest = code; gone = 0
        while (match(rest, /(return|[-=<>+*\/,(?:]) ?[0-9]+[ ;,)]/)) {
          piece = substr(rest, RSTART, RLENGTH)
          match(piece, /[0-9]+/)
          number = substr(piece, RSTART, RLENGTH)
          at = index(rest, piece) + RSTART - 1
          if (length(number) < 7) offer(gone + at, number, number + 1, "constant")
          gone += at + length(number) - 1
          rest = substr(rest, at + length(number))
        }
      }
    }' "$1"
}

# Files whose instructions this processor lacks would only survive.
has() { grep -qw "$1" /proc/cpuinfo 2>/dev/null; }
files_of() { # LAYER
  find "src/$1" -name '*.c' | sort | while read -r f; do
    case $f in
      *_avx2.c) has avx2 || continue ;;
      *_avx512.c) has avx512f || continue ;;
      *_vnni.c) has avx512_vnni || continue ;;
      */cuda/*) continue ;;
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
ln -sfn tree/models "$work/models" # where programs of the build look
[ ! -e ../shared ] || ln -sfn "$home/../shared" "$work/shared"
cmake -S "$tree" -B "$work/build" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKEIKO_TESTS=ON -DCMAKE_LINK_DEPENDS_NO_SHARED=ON >/dev/null
cd "$work"

compile() { cmake --build build -j "$jobs" --target "$@" >build.log 2>&1; }
run() { # REGEX: the tests; the names of those that failed are left in failed.txt
  ctest --test-dir build -R "$1" -j "$jobs" --timeout "$limit" --stop-on-failure >tests.log 2>&1 && return 0
  sed -n 's/^[ \t]*[0-9]* - \([a-z_0-9]*\) (\(.*\))$/\1 (\2)/p' tests.log | grep -v Skipped > failed.txt
  return 1
}
apply() { # FILE LINE COLUMN OLD NEW, in the copy
  echo "$1" >> mutated.txt
  OLD=$4 NEW=$5 awk -v line="$2" -v at="$3" '
    NR == line { print substr($0, 1, at - 1) ENVIRON["NEW"] substr($0, at + length(ENVIRON["OLD"])); next } { print }
  ' "$home/$1" > tree/"$1"
}
restore() { cp -p "$home/$1" "tree/$1"; touch "tree/$1"; }
object() { find build -path "*/$1.o" | head -n 1; }

# Verdicts of an earlier start on the same source: "verdict<TAB>seconds<TAB>test<TAB>mutant" behind a line with seed and source.
key="seed $seed source $(cd tree && find src tests -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-16)"
if [ "$(head -n 1 verdicts.txt 2>/dev/null)" != "$key" ]; then echo "$key" > verdicts.txt; fi
earlier() { # MUTANT: its line, if there is one
  MUTANT=$1 awk -F '\t' '$4 == ENVIRON["MUTANT"]' verdicts.txt | head -n 1
}
show() { # VERDICT SECONDS TEST MUTANT
  case $1 in
    survived)
      lived=$((lived + 1))
      echo "SURVIVED  $4  ($2 s)"
      echo "$4" >> survivors.txt ;;
    killed)
      killed=$((killed + 1))
      echo "killed    $4  by $3  ($2 s)" ;;
  esac
}

killed=0 lived=0
: > survivors.txt
for layer in "$@"; do
  tests=$(cd "tree/tests/$layer" 2>/dev/null && ls test_*.c 2>/dev/null | sed 's/\.c$//' | tr '\n' ' ') || true
  [ -n "$tests" ] || { echo "$layer: no tests, left out"; continue; }
  regex="^($(echo $tests | tr ' ' '|'))\$"
  limit=600 ready=0
  prepare() { # builds the layer and runs its tests once, when the first mutant without a verdict is met
    [ $ready = 0 ] || return 0
    # shellcheck disable=SC2086
    compile keiko $tests || { tail -n 20 build.log; echo "mutate.sh: the copy does not compile" >&2; exit 1; }
    start=$SECONDS
    run "$regex" || { cat failed.txt; echo "mutate.sh: tests of $layer fail without any mutant" >&2; exit 1; }
    limit=$((60 + 5 * (SECONDS - start))) # seconds for one test; a mutant may loop for ever
    ready=1
  }
  found=0
  (cd "$home" && drawn "$layer") > drawn.txt
  while [ $found -lt "$n" ] && IFS=$'\t' read -r _ file line column old new _ <&3; do
    what=$(printf '%s:%s  %s  ->  %s' "$file" "$line" "$old" "$new")
    IFS=$'\t' read -r verdict took test _ <<< "$(earlier "$what")" || true
    if [ -z "${verdict:-}" ]; then
      prepare
      o=$(object "$file")
      cp "$o" original.o
      apply "$file" "$line" "$column" "$old" "$new"
      start=$SECONDS
      test=-
      # shellcheck disable=SC2086
      if ! compile keiko $tests || cmp -s "$o" original.o; then
        verdict=void
      elif run "$regex"; then
        verdict=survived
      else
        verdict=killed test=$(head -n 1 failed.txt)
      fi
      took=$((SECONDS - start))
      restore "$file"
      printf '%s\t%s\t%s\t%s\n' "$verdict" "$took" "$test" "$what" >> verdicts.txt
    fi
    [ "$verdict" = void ] || found=$((found + 1))
    show "$verdict" "$took" "$test" "$what"
  done 3< drawn.txt
done
[ ! -s survivors.txt ] || { printf '\nsurvivors\n'; cat survivors.txt; }
printf '\n%d killed of %d, %d %%\n' $killed $((killed + lived)) $((killed + lived > 0 ? 100 * killed / (killed + lived) : 0))
