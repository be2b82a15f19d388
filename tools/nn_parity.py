#!/usr/bin/python3
"""What PyTorch makes of a network: outputs, all gradients, and the weights after ten Adam steps, for our own code to match.

    tools/nn_parity.py --net othello-seed --batch 32 --out FILE.safetensors
    build/dev/tests/test_nn_golden FILE.safetensors

PyTorch computes in float64 from float32 weights, so the file is the better-rounded side. The small files in tests/nn/golden
were made with `tools/nn_parity.py --golden tests/nn/golden`.
"""
import argparse
import json
import os
import struct

import torch
import torch.nn.functional as F

import nn_net

GOLDEN = {
    "othello-small": ("planes=3 size=8x8 c=8 b=2 policy=2:65 value=1:16", 6),
    "contrast-small": ("planes=4 scalars=3 size=5x5 c=12 b=1 policy=4:30 policy=2:11 value=2:8", 6),
    "everything": ("planes=2 scalars=1 size=3x4 c=6 b=2 se=3 policy=2:9 value=1:5 scalar=2:4:3 board=2 duel=1:5:6", 7),
    "mlp": ("planes=2 scalars=3 size=4x3 mlp=20,9 policy=0:12 value=0:8 duel=0:7:5", 8),
}
STEPS, RATE = 10, 1e-3


def write_safetensors(path, tensors, meta):
    header, data = {"__metadata__": meta}, b""
    names = {torch.float32: "F32", torch.int64: "I64", torch.int32: "I32"}
    for k, t in tensors.items():
        raw = t.contiguous().numpy().tobytes()
        header[k] = {"dtype": names[t.dtype], "shape": list(t.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def inputs(d, n):
    """Random bit planes as our layout packs them, and as the floats a PyTorch module reads."""
    hw, words = d["rows"] * d["cols"], (d["rows"] * d["cols"] + 63) // 64
    planes = (torch.rand(n, d["planes"], hw) < 0.3).double()
    bits = torch.zeros(n, d["planes"], words, dtype=torch.int64)
    for p in range(hw):
        v = planes[:, :, p].long()
        bits[:, :, p // 64] |= v << (p % 64) if p % 64 < 63 else v * torch.tensor(-(1 << 63))
    scalars = torch.rand(n, d["scalars"], dtype=torch.float32)
    if d["mlp"]:
        x = torch.cat([planes.flatten(1), scalars.double()], 1)
    else:
        x = torch.cat([planes, scalars.double()[:, :, None].expand(-1, -1, hw)], 1).reshape(n, -1, d["rows"], d["cols"])
    return bits, scalars, x


def targets(d, n):
    out = {}
    for i, h in enumerate(d["heads"]):
        if h[0] == "policy":
            out[f"target{i}"] = torch.softmax(2 * torch.randn(n, h[3]), 1).float()
        elif h[0] == "duel":
            out[f"target{i}"] = torch.randn(n)
            out[f"action{i}"] = torch.randint(h[3], (n,), dtype=torch.int32)
        elif h[0] == "board":
            out[f"target{i}"] = 2 * torch.rand(n, h[3] * d["rows"] * d["cols"]) - 1
        else:
            out[f"target{i}"] = 2 * torch.rand(n, h[3]) - 1
    return out


def loss_of(d, ys, t, weight):
    total = 0
    for i, (h, y) in enumerate(zip(d["heads"], ys)):
        want = t[f"target{i}"].double()
        if h[0] == "policy":
            each = -(want * F.log_softmax(y, 1)).sum(1)
        elif h[0] == "duel":
            q = y.gather(1, t[f"action{i}"].long()[:, None])[:, 0]
            each = F.huber_loss(q, want, reduction="none")
        else:
            each = ((y - want) ** 2).mean(1)
        total = total + (each * weight).mean()
    return total


def make(text, n, path, seed):
    torch.manual_seed(seed)
    net = nn_net.Net(text)
    for k, v in net.state_dict().items():
        if k.endswith("running_var"):
            v.uniform_(0.5, 1.5)
        elif k.endswith("running_mean"):
            v.uniform_(-0.2, 0.2)
    params = {k: v for k, v in net.state_dict().items() if not k.endswith("num_batches_tracked")}
    initial = {k: v.clone() for k, v in params.items()}
    net.double()
    bits, scalars, x = inputs(net.d, n)
    t = targets(net.d, n)
    weight = (0.5 + torch.rand(n)).float()
    tensors = {"bits": bits, **initial, "scalars": scalars, "weight": weight, **t}  # bits first: they want 8-byte alignment
    with torch.no_grad():
        tensors["out"] = torch.cat(net.eval()(x), 1).float()
    net.train()
    opt = torch.optim.Adam(net.parameters(), lr=RATE)
    losses = []
    for step in range(STEPS):
        opt.zero_grad()
        loss = loss_of(net.d, net(x), t, weight.double())
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            tensors.update({"grad." + k: v.grad.float() for k, v in net.named_parameters()})
        opt.step()
    tensors["loss"] = torch.tensor(losses, dtype=torch.float32)
    tensors.update({"after." + k: v.float() for k, v in net.state_dict().items() if not k.endswith("num_batches_tracked")})
    write_safetensors(path, tensors, {"keiko.net": nn_net.PRESETS.get(text, text)})


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--net")
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--out")
    p.add_argument("--golden", help="write the small files of the test suite into this folder")
    a = p.parse_args()
    if a.golden:
        os.makedirs(a.golden, exist_ok=True)
        for name, (text, n) in GOLDEN.items():
            make(text, n, os.path.join(a.golden, name + ".safetensors"), 1)
    else:
        make(a.net, a.batch, a.out, 1)


if __name__ == "__main__":
    main()
