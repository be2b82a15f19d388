"""Builds the extension against libkeiko: that of this checkout (`make` first), or an installed one (pkg-config).

KEIKO_LIBRARY names another libkeiko.a.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_py import build_py

here = Path(__file__).resolve().parent
top = here.parent.parent


def pkg_config(*args: str) -> list[str]:
    if shutil.which("pkg-config") is None:
        return []
    done = subprocess.run(["pkg-config", *args], capture_output=True, text=True)
    return done.stdout.split() if done.returncode == 0 else []


def optional_libraries() -> list[str]:
    """What libkeiko.a was linked with, as far as it is here: the same tests as in CMakeLists.txt."""
    flags: list[str] = []
    for name in ("jansson", "sqlite3", "libzstd", "libnats", "libmicrohttpd"):
        flags += pkg_config("--libs", name)
    return flags


def find_library() -> tuple[list[str], list[str], list[str]]:
    """Include folders, objects and link flags."""
    static = Path(os.environ.get("KEIKO_LIBRARY", top / "build" / "release" / "libkeiko.a"))
    if static.exists() and (top / "include" / "keiko.h").exists():
        return [str(top / "include")], [str(static)], optional_libraries() + ["-lpthread", "-lm", "-ldl"]
    flags = pkg_config("--cflags", "--libs", "keiko")
    if flags:
        return [f[2:] for f in flags if f.startswith("-I")], [], [f for f in flags if not f.startswith("-I")]
    raise SystemExit("libkeiko is not here: run `make` in the top folder first, or install keiko (`make install`)")


def version() -> str:
    text = (top / "CMakeLists.txt").read_text() if (top / "CMakeLists.txt").exists() else ""
    found = re.search(r"project\(keiko VERSION ([0-9.]+)", text)
    return found.group(1) if found else (pkg_config("--modversion", "keiko") or ["0"])[0]


class BuildWithModels(build_py):
    """Adds the models that are too large to be inside the library; an installed library finds its own."""

    def run(self) -> None:
        super().run()
        folder = os.path.join(self.build_lib, "keiko", "models")
        self.mkpath(folder)
        for f in sorted((top / "models").glob("*.safetensors")) if objects else []:
            if f.stat().st_size > 2_000_000:
                self.copy_file(str(f), folder)


include, objects, link = find_library()
setup(
    version=version(),
    cmdclass={"build_py": BuildWithModels},
    ext_modules=[
        Extension(
            "keiko._keiko",
            sorted(str(f.relative_to(here)) for f in (here / "src").glob("*.c")),
            depends=["src/inner.h", *objects],
            include_dirs=include,
            extra_objects=objects,
            extra_compile_args=["-std=c17", "-O2", "-fvisibility=hidden"],
            extra_link_args=[*link, "-s"],  # no paths of this folder: the same commit gives the same bytes
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
