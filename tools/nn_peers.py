#!/usr/bin/python3
"""Our network speeds beside PyTorch's and oneDNN's, in one run, one thread, alternating so that a noisy machine treats all alike.

    tools/nn_peers.py --ours build/bench/nn_speed [--onednn build/bench/nn_onednn] [--net othello-seed] [--rounds 3] [--seconds 1]

Times are process CPU time, the best of all rounds. PyTorch's modes: eager, batch-norm folded, channels_last, and the frozen
and optimised script; its best counts. Training: contiguous and channels_last.
"""
import argparse
import copy
import os
import re
import subprocess
import time

os.environ["OMP_NUM_THREADS"] = "1"
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.fusion import fuse_conv_bn_eval

import nn_net


def fold(net):
    net = copy.deepcopy(net).eval()
    for m in list(net.modules()):
        for c, b in (("conv", "bn"), ("conv1", "bn1"), ("conv2", "bn2")):
            if hasattr(m, c) and hasattr(m, b):
                setattr(m, c, fuse_conv_bn_eval(getattr(m, c), getattr(m, b)))
                setattr(m, b, nn.Identity())
    return net


def best(f, seconds):
    f()
    low, end = 1e9, time.process_time() + seconds
    while True:
        t = time.process_time()
        f()
        now = time.process_time()
        low = min(low, now - t)
        if now > end:
            return low


def torch_infer(net, n, seconds):
    d = net.d
    x = torch.rand(n, d["planes"] + d["scalars"], d["rows"], d["cols"])
    cl = torch.channels_last
    folded, folded_cl, xc = fold(net), fold(net).to(memory_format=cl), x.to(memory_format=cl)
    script = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(net.eval(), x)))
    with torch.no_grad():
        modes = {"eager": lambda: net(x), "folded": lambda: folded(x), "folded channels_last": lambda: folded_cl(xc), "script": lambda: script(x)}
        times = {k: best(f, seconds / 4) for k, f in modes.items()}
    mode = min(times, key=times.get)
    return n / times[mode], mode


def torch_train(text, n, seconds):
    results = {}
    for name, mf in (("contiguous", torch.contiguous_format), ("channels_last", torch.channels_last)):
        net = nn_net.Net(text).train().to(memory_format=mf)
        d = net.d
        opt = torch.optim.Adam(net.parameters(), lr=1e-3)
        x = torch.rand(n, d["planes"] + d["scalars"], d["rows"], d["cols"]).to(memory_format=mf)
        targets = [torch.softmax(torch.randn(n, h[3]), 1) if h[0] == "policy" else torch.rand(n, h[3]) for h in d["heads"]]

        def step():
            opt.zero_grad()
            loss = 0
            for h, y, t in zip(d["heads"], net(x), targets):
                loss = loss + (-(t * F.log_softmax(y, 1)).sum(1).mean() if h[0] == "policy" else F.mse_loss(y, t))
            loss.backward()
            opt.step()

        results[name] = best(step, seconds / 2)
    mode = min(results, key=results.get)
    return n / results[mode], mode


def run_lines(command):
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {int(m[1]): float(m[2]) for m in re.finditer(r"batch=(\d+) [\d.]+ ms (\d+) positions/s", out)}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--ours", required=True)
    p.add_argument("--onednn")
    p.add_argument("--net", default="othello-seed")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seconds", type=float, default=1)
    p.add_argument("--what", default="infer,int8,train")
    a = p.parse_args()
    torch.set_num_threads(1)
    sec = str(a.seconds / 2)
    net = nn_net.Net(a.net).eval()
    top, mode = {}, {}

    def note(key, value, how=""):
        if value > top.get(key, 0):
            top[key], mode[key] = value, how

    sizes = (1, 8, 32, 256)
    for _ in range(a.rounds):
        for n in sizes if "infer" in a.what else ():
            note(("torch", n), *torch_infer(net, n, a.seconds))
        if "infer" in a.what:
            for n, v in run_lines([a.ours, a.net, "infer", sec]).items():
                note(("ours f32", n), v)
            if a.onednn:
                for n, v in run_lines([a.onednn, a.net, sec]).items():
                    note(("oneDNN", n), v)
        if "int8" in a.what:
            for n, v in run_lines([a.ours, a.net, "int8", sec]).items():
                note(("ours int8", n), v)
        if "train" in a.what:
            note(("torch train", 256), *torch_train(a.net, 256, 4 * a.seconds))
            for n, v in run_lines([a.ours, a.net, "train", str(2 * a.seconds)]).items():
                note(("ours train", n), v)
    print(f"{a.net}, one thread, positions/s, torch {torch.__version__}")
    for (who, n), v in sorted(top.items(), key=lambda k: (k[0][1], k[0][0])):
        peer = top.get(("torch train" if "train" in who else "torch", n))
        ratio = f"  {v / peer:.2f} x PyTorch" if peer and "ours" in who else ""
        if ("oneDNN", n) in top and who == "ours f32":
            ratio += f"  {v / top[('oneDNN', n)]:.2f} x oneDNN"
        print(f"batch {n:4}  {who:11} {v:9.0f}{ratio}  {mode[(who, n)]}")


if __name__ == "__main__":
    main()
