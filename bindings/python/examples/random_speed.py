"""Steps per second of a random agent: in C, through Python, and in an environment written in plain Python.

    /usr/bin/python3 random_speed.py [--seconds 1] [--program ../../../build/keiko] [--games othello,puyo]

"C" is `keiko speed env`. "Python" is VectorEnv.step with moves drawn by the environment (-1), which is the cost of the
binding; "Python, numpy agent" draws them from the masks with numpy, which is what an agent in Python costs in addition.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Callable

import numpy as np

import keiko
import plain_othello

SIZES = (1, 64, 1024, 8192)


def best(step: Callable[[], None], n: int, seconds: float) -> float:
    """The best of three windows: what it can do, not what else the machine was doing."""
    rate = 0.0
    step()
    for _ in range(3):
        start, done = time.perf_counter(), 0
        while (spent := time.perf_counter() - start) < seconds / 3 or done == 0:
            step()
            done += n
        rate = max(rate, done / spent)
    return rate


def binding(game: str, n: int, seconds: float) -> float:
    with keiko.VectorEnv(game, n, final_obs=False) as env:
        env.reset(seed=1)
        moves = np.full(n, -1, np.int32)
        return best(lambda: void(env.step(moves)), n, seconds)


def numpy_agent(game: str, n: int, seconds: float) -> float:
    with keiko.VectorEnv(game, n, final_obs=False) as env:
        obs, _ = env.reset(seed=1)
        masks, rng = obs["action_mask"], np.random.default_rng(1)

        def step() -> None:
            noise = rng.random(masks.shape, np.float32)
            env.step((noise * masks).argmax(1).astype(np.int32))

        return best(step, n, seconds)


def plain(n: int, seconds: float) -> float:
    env = plain_othello.VectorEnv(n)
    env.reset(seed=1)
    moves = np.full(n, -1, np.int32)
    return best(lambda: void(env.step(moves)), n, seconds)


def void(_: object) -> None:
    return None


def in_c(program: str, seconds: float) -> dict[tuple[str, int], float]:
    out = subprocess.run([program, "speed", "env", "--seconds", str(seconds), "--json"], capture_output=True, text=True)
    rates = {}
    for row in json.loads(out.stdout)["rows"] if out.returncode == 0 else []:
        game, size = row["name"].split(", ")
        rates[game, int(size.split()[0])] = row["rate"]
    return rates


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("--seconds", type=float, default=1.0)
    ask.add_argument("--program", default="../../../build/keiko")
    ask.add_argument("--games", default="othello,contrast,renju,puyo,puyo-solo")
    o = ask.parse_args()
    c = in_c(o.program, o.seconds)
    print(f"{'game':<10} {'N':>5} {'C':>12} {'Python':>12} {'of C':>6} {'numpy agent':>12} {'plain Python':>13}  (steps/s)")
    for game in o.games.split(","):
        for n in SIZES:
            p, a = binding(game, n, o.seconds), numpy_agent(game, n, o.seconds)
            of = f"{p / c[game, n]:.0%}" if (game, n) in c else "-"
            slow = f"{plain(n, o.seconds):13,.0f}" if game == "othello" else f"{'-':>13}"
            print(f"{game:<10} {n:>5} {c.get((game, n), float('nan')):12,.0f} {p:12,.0f} {of:>6} {a:12,.0f} {slow}", flush=True)


if __name__ == "__main__":
    main()
