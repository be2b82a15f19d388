"""A keiko network description as a PyTorch module, with the same parameter names as our weights files.

Used by nn_parity.py and nn_peers.py. Needs python3-torch (Debian's 1.13 is enough); no other package.
"""
import json
import re
import struct

import torch
import torch.nn as nn
import torch.nn.functional as F

PRESETS = {
    "othello-seed": "planes=3 size=8x8 c=128 b=10 policy=2:65 value=1:256",
    "contrast-seed": "planes=32 scalars=34 size=5x5 c=64 b=4 policy=32:625 policy=16:51 value=4:32",
}


def parse(text):
    d = {"atoms": 1, "noisy": 0, "planes": 0, "scalars": 0, "c": 0, "b": 0, "se": 0, "mlp": [], "heads": []}
    for item in PRESETS.get(text, text).split():
        key, value = item.split("=")
        if key == "size":
            d["rows"], d["cols"] = map(int, value.split("x"))
        elif key == "mlp":
            d["mlp"] = [int(v) for v in value.split(",")]
        elif key in ("policy", "value", "scalar", "board", "duel", "reply"):
            v = [int(x) for x in value.split(":")]
            if key in ("policy", "reply"):
                v = [v[0], 0, v[1]]
            elif key == "value":
                v = [v[0], v[1], 1]
            elif key == "board":
                v = [0, 0, v[0]]
            elif key == "duel" and len(v) == 4:
                d["atoms"] = v.pop()
            d["heads"].append((key, *v))
        else:
            d[key] = int(value)
    return d


class Block(nn.Module):
    def __init__(self, c, se):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c)
        self.conv2, self.bn2 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.BatchNorm2d(c)
        self.use_se = se > 0
        if se > 0:
            self.se1, self.se2 = nn.Linear(c, se), nn.Linear(se, c)

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        if self.use_se:
            y = y * torch.sigmoid(self.se2(F.relu(self.se1(y.mean((2, 3))))))[:, :, None, None]
        return F.relu(x + y)


class Head(nn.Module):
    def __init__(self, d, kind, filters, hidden, out):
        super().__init__()
        self.kind, self.hidden, self.filters = kind, hidden, filters
        wide = d["mlp"][-1] if d["mlp"] else filters * d["rows"] * d["cols"]
        if kind == "board":
            self.conv = nn.Conv2d(d["c"], out, 1)
            return
        if filters:
            self.conv, self.bn = nn.Conv2d(d["c"], filters, 1, bias=False), nn.BatchNorm2d(filters)
        if kind == "duel":
            self.atoms = d["atoms"]
            self.fc1 = nn.Linear(wide, 2 * hidden)
            self.value, self.advantage = nn.Linear(hidden, self.atoms), nn.Linear(hidden, out * self.atoms)
            if d["noisy"]:  # widths of the noise: stored, not used by a network that only runs
                self.value_sigma = nn.Linear(hidden, self.atoms)
                self.advantage_sigma = nn.Linear(hidden, out * self.atoms)
        elif hidden:
            self.fc1, self.fc2 = nn.Linear(wide, hidden), nn.Linear(hidden, out)
        else:
            self.fc = nn.Linear(wide, out)

    def forward(self, x):
        if self.kind == "board":
            return torch.tanh(self.conv(x)).flatten(1)
        if self.filters:
            x = F.relu(self.bn(self.conv(x))).flatten(1)
        if self.kind == "duel":
            h = F.relu(self.fc1(x))
            a = self.advantage(h[:, self.hidden:]).unflatten(1, (-1, self.atoms))
            return (self.value(h[:, :self.hidden])[:, None] + a - a.mean(1, keepdim=True)).flatten(1)
        x = self.fc2(F.relu(self.fc1(x))) if self.hidden else self.fc(x)
        return torch.tanh(x) if self.kind == "value" else x


class Named(nn.Module):
    """A module that only gives its child a second name: stem.conv, head0.policy.fc, mlp0.fc."""

    def __init__(self, **children):
        super().__init__()
        for k, v in children.items():
            self.add_module(k, v)


class Net(nn.Module):
    def __init__(self, text):
        super().__init__()
        d = self.d = parse(text)
        inputs = d["planes"] + d["scalars"]
        if d["mlp"]:
            wide = d["planes"] * d["rows"] * d["cols"] + d["scalars"]
            for i, w in enumerate(d["mlp"]):
                self.add_module(f"mlp{i}", Named(fc=nn.Linear(wide, w)))
                wide = w
        else:
            self.stem = Named(conv=nn.Conv2d(inputs, d["c"], 3, padding=1, bias=False), bn=nn.BatchNorm2d(d["c"]))
            for i in range(d["b"]):
                self.add_module(f"block{i}", Block(d["c"], d["se"]))
        for i, h in enumerate(d["heads"]):
            self.add_module(f"head{i}", Named(**{h[0]: Head(d, *h)}))

    def forward(self, x):
        d = self.d
        if d["mlp"]:
            for i in range(len(d["mlp"])):
                x = F.relu(getattr(self, f"mlp{i}").fc(x))
        else:
            x = F.relu(self.stem.bn(self.stem.conv(x)))
            for i in range(d["b"]):
                x = getattr(self, f"block{i}")(x)
        return [getattr(getattr(self, f"head{i}"), h[0])(x) for i, h in enumerate(d["heads"])]


def read_safetensors(path):
    """(tensors by name, metadata)"""
    with open(path, "rb") as f:
        size, = struct.unpack("<Q", f.read(8))
        header = json.loads(f.read(size))
        data = bytearray(f.read())
    meta = header.pop("__metadata__", {})
    types = {"F32": torch.float32, "I32": torch.int32, "I64": torch.int64, "U8": torch.uint8, "BF16": torch.bfloat16}
    out = {}
    for name, t in header.items():
        a, b = t["data_offsets"]
        out[name] = (torch.frombuffer(data[a:b], dtype=types[t["dtype"]]) if b > a else torch.zeros(0)).reshape(t["shape"]).clone()
    return out, meta


def load(path):
    tensors, meta = read_safetensors(path)
    net = Net(meta["keiko.net"])
    state = net.state_dict()
    for k in state:
        if not k.endswith("num_batches_tracked"):
            state[k] = tensors[k].float()
    net.load_state_dict(state)
    return net
