#!/usr/bin/env bash
# Checks the Markdown files: relative links, anchors and pictures exist; every `keiko COMMAND` in code is a command; functions that
# the guide names and documents that the source names exist; a page of the guide has its Japanese twin; what the guide shows after
# `$ keiko …` is what the program prints; the version is the same everywhere. Run it after `make`:
#   tools/check-docs.sh [PROGRAM]     default build/keiko
set -euo pipefail
cd "$(dirname "$0")/.."
keiko=${1:-build/keiko}
bad=0 links=0 commands=0
complain() { echo "$1"; bad=1; }

# The anchors of a file's headings, as GitHub makes them: lower case, no punctuation, blanks to dashes.
anchors() {
  sed -n '/^```/,/^```/d; s/^##* *//p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^[:alnum:] _-]//g; s/ /-/g'
}

files=$(git ls-files '*.md')
for f in $files; do
  dir=$(dirname "$f")
  while IFS=: read -r line target; do
    links=$((links + 1))
    path=${target%%#*} anchor=""
    case $target in *'#'*) anchor=${target#*#} ;; esac
    [ -z "$path" ] && path=$(basename "$f")
    if [ ! -e "$dir/$path" ]; then complain "$f:$line: there is no $dir/$path"; continue; fi
    case $path in
      *.md) if [ -n "$anchor" ] && ! grep -qxF -- "$anchor" < <(anchors "$dir/$path"); then complain "$f:$line: $path has no heading #$anchor"; fi ;;
    esac
  done < <(sed '/^```/,/^```/s/.*//' "$f" | grep -noE '\]\([^)]+\)' | sed -E 's/\]\(([^) ]+)[^)]*\)/\1/' | grep -vE '^[0-9]+:(https?|mailto):' || true)
done

# The commands. Where a first word names only a group ("nn"), the second is checked, too.
[ -x "$keiko" ] || { echo "check-docs.sh: there is no program $keiko; run make first"; exit 1; }
known=$("$keiko" --help | sed -n '/^Common options/q; s/^  \([a-z][a-z-]*\( [a-z][a-z-]*\)\{0,1\}\)  .*/\1/p')
single=$(grep -v ' ' <<<"$known" || true)
[ -n "$single" ] || { echo "check-docs.sh: $keiko --help lists no commands"; exit 1; }
for f in $files; do
  while IFS=: read -r line text; do
    commands=$((commands + 1))
    read -r one two _ <<<"$text"
    if grep -qxF -- "$one" <<<"$single" || [ "$one" = help ]; then continue; fi
    if grep -q "^$one " <<<"$known" && { [ -z "$two" ] || grep -qxF -- "$one $two" <<<"$known"; }; then continue; fi
    complain "$f:$line: keiko has no command '$one${two:+ $two}'"
  done < <(awk '
    /^```/ { fence = !fence; next }
    { code = $0
      if (!fence && $0 !~ /^    /) { # inline code only
        code = ""; n = split($0, part, "`")
        for (i = 2; i <= n; i += 2) code = code " ; " part[i]
      }
      while (match(code, /(^|[$|;&("\047=] *|exec |[\/ ;])([^ ;|"\047]*\/)?keiko [a-z][a-z-]*( [a-z][a-z-]*)?/)) {
        hit = substr(code, RSTART, RLENGTH); code = substr(code, RSTART + RLENGTH)
        before = hit; sub(/keiko [a-z].*/, "", before)
        if (before == " ") continue # a word among others, not the start of a command
        sub(/.*keiko /, "", hit); print NR ":" hit
      }
    }' "$f")
done

# Functions that the guide names, `name()`, exist.
while IFS=: read -r f line name; do
  grep -rqE "(^|[^[:alnum:]_])${name%??}\\(" src include || complain "$f:$line: there is no function $name in src/"
done < <(grep -noE '`[a-z_0-9]+\(\)`' docs/*.md docs/ja/*.md CONTRIBUTING.md | tr -d '`')

# Documents that the source names exist.
while IFS=: read -r f line name; do
  [ -e "$name" ] || complain "$f:$line: there is no $name"
done < <(git grep -noE 'docs/[A-Za-z/-]+\.md' -- src include bench tests cmake CMakeLists.txt Makefile || true)

for f in docs/*.md docs/rules/*.md; do
  case $f in docs/DEPENDENCIES.md | docs/API.md) continue ;; esac
  twin=docs/ja/${f#docs/}
  [ -e "$twin" ] || complain "$f has no Japanese twin $twin"
done

# What a block shows after "$ COMMAND" are lines of what the command prints, in this order; "…" stands for what is left out. Commands
# whose output has times or needs a run are left out.
if command -v python3 > /dev/null; then
  PATH="$(cd "$(dirname "$keiko")" && pwd):$PATH" python3 - docs/*.md docs/ja/*.md << 'EOF' || bad=1
import re, subprocess, sys
bad, printed = 0, {}
for name in sys.argv[1:]:
    text = open(name, encoding="utf-8").read()
    for block in re.findall(r"^```\n(\$ .*?)^```", text, re.M | re.S):
        command, *shown = block[2:].rstrip("\n").split("\n")
        if re.match("keiko (bench|serve|status)", command): continue
        if command not in printed:
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
            printed[command] = [line.rstrip() for line in done.stdout.split("\n")]
        left = iter(printed[command])
        for line in shown:
            begin = line.rstrip("…") # "…" ends a line whose rest is left out
            if line.strip() == "…" or any(l == line or begin != line and l.startswith(begin) for l in left): continue
            print(f"{name}: '{command}' does not print, at this place: {line}")
            bad = 1
            break
sys.exit(bad)
EOF
fi

# The reference of the C API is what the headers say.
if command -v python3 > /dev/null; then tools/api-reference.py --check || bad=1; fi

# What the page bundles is in THIRD_PARTY.md, with its version (major.minor) and licence; nothing else is.
if command -v python3 > /dev/null; then
  python3 - << 'EOF' || bad=1
import json, re, sys
packages = json.load(open("web/package-lock.json"))["packages"]
bundled = {k.split("node_modules/")[-1]: v for k, v in packages.items() if k and not v.get("dev")}
rows = dict(re.findall(r"^\|[^|]*\(`([^`]+)`\) \|([^|]+\|[^|]+)\|", open("THIRD_PARTY.md").read(), re.M))
wrong = [f"THIRD_PARTY.md: {n} is not bundled by the page" for n in rows.keys() - bundled.keys()]
for name, p in bundled.items():
    version = ".".join(p["version"].split(".")[:2])
    if [w.strip() for w in rows.get(name, "").split("|")] != [version, p.get("license")]:
        wrong.append(f"THIRD_PARTY.md: the page bundles {name} {version} ({p.get('license')})")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
EOF
fi

# One version: CMakeLists.txt has it, CHANGELOG.md its date; the program, its manual page and the API's example agree.
version=$(sed -n 's/^project(keiko VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
newest=$(sed -n 's/^## \[\([0-9.]*\)\] - \([0-9-]*\)$/\1 \2/p' CHANGELOG.md | head -n 1)
[ "${newest% *}" = "$version" ] || complain "CHANGELOG.md: the newest release is ${newest% *}, but CMakeLists.txt says $version"
case $("$keiko" --version) in "keiko $version ("*) ;; *) complain "$keiko is not version $version; run make" ;; esac
case $("$keiko" man) in *"${newest#* }"*"keiko $version"*) ;; *) complain "the manual page does not say $version of ${newest#* }" ;; esac
grep -q "\"name\": \"keiko\", \"version\": \"$version\"" docs/openapi.json || complain "docs/openapi.json: the example of /machine is not version $version"

[ "$links" -gt 0 ] && [ "$commands" -gt 0 ] || complain "no links or no commands were found: wrong folder?"
[ $bad = 0 ] && echo "docs: $links links and $commands commands, all there"
exit $bad
