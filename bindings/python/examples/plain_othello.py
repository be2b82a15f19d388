"""Othello as a vectorised environment in plain Python with numpy, as one would write it first. For comparison only.

It gives the same things as keiko.VectorEnv("othello"): planes of own discs, the opponent's discs and legal moves, masks,
rewards and ends, with games that begin anew. Rules by a loop over the eight directions; a board is a list of 64.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]


def flips(board: list[int], own: int, square: int) -> list[int]:
    if board[square] != 0:
        return []
    found: list[int] = []
    for dx, dy in DIRECTIONS:
        line, x, y = [], square % 8 + dx, square // 8 + dy
        while 0 <= x < 8 and 0 <= y < 8 and board[y * 8 + x] == -own:
            line.append(y * 8 + x)
            x, y = x + dx, y + dy
        if line and 0 <= x < 8 and 0 <= y < 8 and board[y * 8 + x] == own:
            found += line
    return found


def legal(board: list[int], own: int) -> list[int]:
    return [s for s in range(64) if flips(board, own, s)]


class Game:
    def __init__(self) -> None:
        self.board, self.own = [0] * 64, 1
        self.board[27] = self.board[36] = -1
        self.board[28] = self.board[35] = 1
        self.moves = legal(self.board, self.own)

    def play(self, move: int) -> float | None:
        """The mover's reward when the game is over, else None."""
        mover = self.own
        if move != 64:
            for s in flips(self.board, mover, move):
                self.board[s] = mover
            self.board[move] = mover
        self.own = -mover
        self.moves = legal(self.board, self.own)
        if not self.moves:
            if legal(self.board, mover):
                self.moves = [64]  # pass
            else:
                total = sum(self.board) * mover
                return float((total > 0) - (total < 0))
        return None


class VectorEnv:
    def __init__(self, n: int) -> None:
        self.num_envs = n
        self.planes = np.zeros((n, 3, 8, 8), np.uint8)
        self.masks = np.zeros((n, 65), np.int8)

    def _see(self, i: int) -> None:
        g = self.games[i]
        board = np.array(g.board, np.int8).reshape(8, 8)
        self.planes[i, 0], self.planes[i, 1] = board == g.own, board == -g.own
        self.masks[i] = 0
        self.masks[i, g.moves] = 1
        self.planes[i, 2] = self.masks[i, :64].reshape(8, 8)

    def reset(self, *, seed: int | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        self.random = random.Random(seed)
        self.games = [Game() for _ in range(self.num_envs)]
        for i in range(self.num_envs):
            self._see(i)
        return {"observation": self.planes, "action_mask": self.masks}, {}

    def step(self, actions: Any) -> tuple[dict[str, Any], Any, Any, Any, dict[str, Any]]:
        rewards, ended = np.zeros(self.num_envs, np.float32), np.zeros(self.num_envs, bool)
        for i, a in enumerate(actions):
            g = self.games[i]
            result = g.play(int(a) if a >= 0 else self.random.choice(g.moves))
            if result is not None:
                rewards[i], ended[i] = result, True
                self.games[i] = Game()
            self._see(i)
        cut = np.zeros(self.num_envs, bool)
        return {"observation": self.planes, "action_mask": self.masks}, rewards, ended, cut, {}
