#!/usr/bin/env bash
# What `make install` and `make uninstall` do. DESTDIR puts everything under another root, as packagers need it.
#   tools/install.sh install PREFIX    installs build/release and remembers the files in build/installed.txt
#   tools/install.sh uninstall         removes those files, and folders of ours that are then empty
set -euo pipefail
cd "$(dirname "$0")/.."
manifest=build/installed.txt

# Says what is left to do where the dynamic linker does not find the library.
hint() { # the folder of the library
  local ldconfig
  ldconfig=$(command -v ldconfig || command -v /sbin/ldconfig || true)
  [ -n "$ldconfig" ] || return 0
  "$ldconfig" -p 2>/dev/null | grep -q " $1/libkeiko\.so" && return 0
  if "$ldconfig" -N -v 2>/dev/null | grep -qE "^$1(:| )"; then
    echo "Programs find the library after this, as root: ldconfig"
  else
    echo "The system does not search $1 for libraries. To run programs that use libkeiko, either"
    echo "  export LD_LIBRARY_PATH=$1"
    echo "or, as root: echo $1 > /etc/ld.so.conf.d/keiko.conf && ldconfig"
  fi
}

case ${1:-} in
  install)
    cmake --install build/release --prefix "$2"
    { cat build/release/install_manifest.txt; echo; } > "$manifest"
    library=$(grep -m 1 '/libkeiko\.so' "$manifest")
    [ -n "${DESTDIR:-}" ] || hint "$(dirname "$library")"
    ;;
  uninstall)
    [ -f "$manifest" ] || { echo "uninstall: nothing was installed from here (there is no $manifest)" >&2; exit 1; }
    removed=0
    while IFS= read -r f; do
      [ -n "$f" ] || continue
      f=${DESTDIR:-}$f
      if [ -e "$f" ] || [ -L "$f" ]; then
        rm -f -- "$f"
        removed=$((removed + 1))
      fi
      case $f in */keiko/models/*)
        rmdir -- "$(dirname "$f")" 2>/dev/null && rmdir -- "$(dirname "$(dirname "$f")")" 2>/dev/null || true ;;
      esac
    done < "$manifest"
    rm -f "$manifest"
    echo "$removed files removed"
    ;;
  *)
    sed -n '2,4s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
