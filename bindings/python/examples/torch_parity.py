"""Evaluates positions with a safetensors model in PyTorch and compares with keiko.Evaluator.

    /usr/bin/python3 torch_parity.py [GAME] [MODEL.safetensors]

Needs python3-torch; leaves with status 77 and a sentence where it is missing. Status 1: the two differ.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import numpy as np

import keiko

top = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(top / "tools"))


def note_of(path: str) -> dict[str, str]:
    """The lines "key = value" that a model carries."""
    with open(path, "rb") as f:
        head = json.loads(f.read(struct.unpack("<Q", f.read(8))[0]))
    note = head.get("__metadata__", {}).get("keiko.note", "")
    return dict(line.split(" = ", 1) for line in note.splitlines() if " = " in line)


def main() -> int:
    game = sys.argv[1] if len(sys.argv) > 1 else "contrast"
    model = sys.argv[2] if len(sys.argv) > 2 else str(top / "models" / f"{game}.safetensors")
    try:
        import nn_net
        import torch
    except ImportError as e:
        print(f"skipped: {e} (python3-torch)")
        return 77
    rng = np.random.default_rng(1)
    positions = []
    while len(positions) < 64:
        p = keiko.Position(game, seed=len(positions))
        for _ in range(int(rng.integers(0, 30))):
            if p.over:
                break
            p.play(int(rng.choice(p.legal())))
        if not p.over:
            positions.append(p)
    values, policies = keiko.Evaluator(game, model)(positions)
    net = nn_net.load(model)
    net.eval()
    with torch.no_grad():
        out = net(torch.from_numpy(keiko.encode(positions, note_of(model).get("encoding"))))
    kinds = [h[0] for h in net.d["heads"]]
    theirs = out[kinds.index("value")].numpy()[:, 0]
    worst = float(np.abs(values - theirs).max())
    # Networks see the board and its moves from the mover's side: the first player's moves are the game's own. Contrast's
    # policy has two heads, one for steps and one for tiles; only its values are compared.
    logits = out[kinds.index("policy")].numpy()
    for i, p in enumerate(positions):
        if p.seat == 0 and logits.shape[1] == policies.shape[1]:
            legal = p.legal()
            e = np.exp(logits[i, legal] - logits[i, legal].max())
            worst = max(worst, float(np.abs(policies[i, legal] - e / e.sum()).max()))
    print(f"{len(positions)} positions of {game}: largest difference of a value or a probability {worst:.2e}")
    return 0 if worst < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main())
