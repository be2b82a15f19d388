#!/usr/bin/env python3
"""Writes include/README.md, the reference of the C API, from the comments in keiko.h and keiko_rules.h.

    tools/api-reference.py [--check]    --check: say whether the page is up to date, and change nothing
"""
import re
import sys
from pathlib import Path

top = Path(__file__).resolve().parent.parent / "include"


def clean(comment: str) -> str:
    """A comment's text without stars."""
    lines = [re.sub(r"^\s*\*? ?", "", line) for line in comment.splitlines()]
    return re.sub(r"@(file|brief)[^\n]*\n?", "", "\n".join(lines)).strip()


def sections(text: str):
    """(comment, declaration) in order; a heading has no declaration."""
    at = 0
    body = text[text.index('extern "C" {') :]
    body = body[body.index("#endif") + 6 : body.rindex("#ifdef __cplusplus")]
    token = re.compile(r"/\*\*(?P<doc>.*?)\*/|(?P<struct>typedef struct \w+ \{.*?\n\} \w+;|enum \{.*?\};)|(?P<line>#define [^\n]+|[^\n#][^;{]*;)", re.S)
    doc = ""
    while (m := token.search(body, at)) is not None:
        at = m.end()
        if m["doc"] is not None:
            doc = clean(m["doc"])
            if doc.startswith("@name"):
                yield doc[5:].strip(), None
                doc = ""
        else:
            yield doc, re.sub(r"\s*/\*\*<.*?\*/", "", (m["struct"] or m["line"]).strip()) if m["line"] else m["struct"].strip()
            doc = ""


def members(struct: str) -> str:
    """A struct for reading: comments as C has them."""
    text = re.sub(r"/\*\*<\s*(.*?)\s*\*/", r"// \1", struct, flags=re.S)
    text = re.sub(r"/\*\*\s*(.*?)\s*\*/", lambda m: "// " + clean(m[1]).replace("\n", "\n    // "), text, flags=re.S)
    return re.sub(r" *// *$", "", text, flags=re.M)


def page() -> str:
    out = ["# The C API", "", "Written by `tools/api-reference.py` from the headers' comments; do not edit. [Overview](../docs/library.md).", ""]
    for name in ("keiko.h", "keiko_rules.h"):
        text = (top / name).read_text()
        out += [f"# {name}", "", clean(text[text.index("/**") + 3 : text.index("*/")]), ""]
        for doc, declaration in sections(text):
            if declaration is None:
                title, _, rest = doc.partition("\n")
                out += [f"## {title}", "", rest.strip(), ""] if rest.strip() else [f"## {title}", ""]
            else:
                out += ["```c", members(declaration), "```", doc, ""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip() + "\n"


def main() -> int:
    want, path = page(), top / "README.md"
    if "--check" in sys.argv:
        if path.exists() and path.read_text() == want:
            return 0
        print("include/README.md is not what the headers say: run tools/api-reference.py")
        return 1
    path.write_text(want)
    return 0


if __name__ == "__main__":
    sys.exit(main())
