#!/usr/bin/python3
"""Converts a PyTorch checkpoint (.pth) of a residual policy-value network to a keiko weights file.

    tools/import_pth.py FILE.pth OUT.safetensors [--game contrast|othello] [--encoding NAME]

It reads networks of a 3x3 stem, residual blocks of two 3x3 convolutions, and heads that begin with a 1x1 convolution, each
convolution followed by batch-norm: the Contrast network (66 or 90 input planes) and the Othello network (3 planes) whose
layouts keiko knows, whatever their modules are called. Tensors are told apart by their shapes and their order.

Needs numpy. The usual (zip) files are read without running anything that is in them; files of PyTorch before 1.6 need
python3-torch.
"""

from __future__ import annotations

import argparse
import json
import pickle
import struct
import sys
import zipfile
from typing import Any

import numpy as np

DTYPES = {
    "FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2", "LongStorage": "<i8", "IntStorage": "<i4",
    "ByteStorage": "u1", "BoolStorage": "?", "BFloat16Storage": "bf16",
}  # fmt: skip


class Storage:
    def __init__(self, name: str) -> None:
        self.dtype = DTYPES[name]


def rebuild(storage: np.ndarray, offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_: Any) -> np.ndarray:
    return np.lib.stride_tricks.as_strided(
        storage[offset:], size, [s * storage.itemsize for s in stride], writeable=False
    ).copy()  # fmt: skip


class Reader(pickle.Unpickler):
    """Knows the few names that a state_dict needs, and refuses all others."""

    def __init__(self, archive: zipfile.ZipFile, top: str) -> None:
        super().__init__(archive.open(f"{top}/data.pkl"))
        self.archive, self.top = archive, top

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return rebuild
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return lambda data, *_: data
        if module == "torch" and name in DTYPES:
            return Storage(name)
        if (module, name) == ("collections", "OrderedDict"):
            return dict
        raise SystemExit(f"the file wants to run {module}.{name}: save its state_dict alone, torch.save(model.state_dict(), …)")

    def persistent_load(self, pid: Any) -> np.ndarray:
        _, storage, key, _, count = pid
        raw = self.archive.read(f"{self.top}/data/{key}")
        if storage.dtype == "bf16":
            return (np.frombuffer(raw, "<u2", count).astype("<u4") << 16).view("<f4")
        return np.frombuffer(raw, storage.dtype, count)


def read(path: str) -> dict[str, np.ndarray]:
    """The tensors of a checkpoint, in its order."""
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            top = next(n for n in archive.namelist() if n.endswith("data.pkl")).rsplit("/", 1)[0]
            found = Reader(archive, top).load()
    else:
        try:
            import torch
        except ImportError:
            raise SystemExit("this is an old kind of .pth file: install python3-torch to read it") from None
        found = torch.load(path, map_location="cpu")
    while isinstance(found, dict) and not any(hasattr(v, "shape") for v in found.values()):
        inner = [v for k, v in found.items() if isinstance(v, dict) and "optim" not in str(k)]
        if not inner:
            raise SystemExit("there are no tensors in this file")
        found = inner[0]  # {"model_state_dict": {…}, "optimizer_state_dict": …}
    return {k: np.asarray(v) for k, v in found.items() if hasattr(v, "shape")}


class Module(dict[str, np.ndarray]):
    """The tensors that share a prefix."""

    @property
    def kind(self) -> str:
        w = self.get("weight")
        if "running_mean" in self:
            return "bn"
        return "?" if w is None else {4: "conv", 2: "fc"}.get(w.ndim, "?")


def modules(tensors: dict[str, np.ndarray]) -> list[Module]:
    found: dict[str, Module] = {}
    for name, t in tensors.items():
        prefix, _, last = name.rpartition(".")
        if last != "num_batches_tracked":
            found.setdefault(prefix, Module())[last] = np.asarray(t, np.float32)
    return list(found.values())


class Net:
    """The modules in the order of a keiko network."""

    def __init__(self, rest: list[Module]) -> None:
        self.rest = rest
        self.out: dict[str, np.ndarray] = {}

    def next(self, kind: str, what: str) -> Module:
        if not self.rest or self.rest[0].kind != kind:
            raise SystemExit(f"{what}: expected a {kind} layer; this is another kind of network")
        return self.rest.pop(0)

    def conv(self, name: str, bn_name: str, k: int) -> np.ndarray:
        c, bn = self.next("conv", name), self.next("bn", bn_name)
        if c["weight"].shape[2:] != (k, k):
            raise SystemExit(f"{name}: expected a {k}x{k} convolution, not {c['weight'].shape}")
        self.out[f"{name}.weight"] = c["weight"]
        mean = bn["running_mean"] - c["bias"] if "bias" in c else bn["running_mean"]
        parts = {"weight": bn["weight"], "bias": bn["bias"], "running_mean": mean, "running_var": bn["running_var"]}
        self.out.update({f"{bn_name}.{key}": v for key, v in parts.items()})
        return c["weight"]

    def fc(self, name: str) -> np.ndarray:
        f = self.next("fc", name)
        self.out[f"{name}.weight"], self.out[f"{name}.bias"] = f["weight"], f["bias"]
        return f["weight"]

    def is_conv(self, k: int) -> bool:
        return bool(self.rest) and self.rest[0].kind == "conv" and self.rest[0]["weight"].shape[2] == k

    def count_fc(self) -> int:
        n = 0
        while 2 + n < len(self.rest) and self.rest[2 + n].kind == "fc":
            n += 1
        return n


def convert(tensors: dict[str, np.ndarray]) -> tuple[dict[str, np.ndarray], str, int]:
    """Tensors by keiko's names, the description, and the number of input planes."""
    net = Net([m for m in modules(tensors) if m.kind != "?"])
    stem = net.conv("stem.conv", "stem.bn", 3)
    channels, inputs, blocks = stem.shape[0], stem.shape[1], 0
    while net.is_conv(3):
        for i in (1, 2):
            net.conv(f"block{blocks}.conv{i}", f"block{blocks}.bn{i}", 3)
        blocks += 1
    heads, cells = [], 0
    while net.is_conv(1):
        h, layers = len(heads), net.count_fc()
        kind = "policy" if layers == 1 else "value"
        filters = net.conv(f"head{h}.{kind}.conv", f"head{h}.{kind}.bn", 1).shape[0]
        if kind == "policy":
            w = net.fc(f"head{h}.policy.fc")
            heads.append(f"policy={filters}:{w.shape[0]}")
        elif layers == 2:
            w = net.fc(f"head{h}.value.fc1")
            if net.fc(f"head{h}.value.fc2").shape[0] != 1:
                raise SystemExit(f"head {h}: a value head ends in one number")
            heads.append(f"value={filters}:{w.shape[0]}")
        else:
            raise SystemExit(f"head {h} has {layers} fully connected layers; 1 (policy) or 2 (value) are known")
        cells = w.shape[1] // filters
    side = int(round(cells**0.5))
    if not heads or net.rest or side * side != cells:
        raise SystemExit("this is another kind of network: layers are left over, or the board is not square")
    planes, scalars = {66: (32, 34), 90: (56, 34)}.get(inputs, (inputs, 0))
    size = f"planes={planes} " + (f"scalars={scalars} " if scalars else "") + f"size={side}x{side}"
    return net.out, f"{size} c={channels} b={blocks} {' '.join(heads)}", inputs


def write(path: str, tensors: dict[str, np.ndarray], meta: dict[str, str]) -> None:
    header: dict[str, Any] = {"__metadata__": meta}
    at = 0
    for name, t in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + 4 * t.size]}
        at += 4 * t.size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for t in tensors.values():
            f.write(np.ascontiguousarray(t, "<f4").tobytes())


def main() -> None:
    known = {66: ("contrast", "c66"), 90: ("contrast", "c90-original"), 3: ("othello", "side")}
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("pth")
    ask.add_argument("out")
    ask.add_argument("--game")
    ask.add_argument("--encoding", help="how the planes are filled (keiko export names them); default: by their number")
    o = ask.parse_args()
    tensors, text, inputs = convert(read(o.pth))
    game, encoding = known.get(inputs, (None, None))
    game, encoding = o.game or game, o.encoding or encoding
    if game is None:
        raise SystemExit(f"{inputs} input planes belong to no game that is known here: give --game and --encoding")
    note = f"game = {game}\nencoding = {encoding}\nmade-by = {o.pth.rsplit('/', 1)[-1]}\n"
    write(o.out, tensors, {"keiko.net": text, "keiko.note": note})
    print(f"{o.out}: {text}\n{sum(t.size for t in tensors.values())} numbers; try: keiko nn check {o.out}")


if __name__ == "__main__":
    sys.exit(main())
