"""Agents that choose moves, and networks that evaluate positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _keiko
from ._game import Game, Position


@dataclass(frozen=True)
class Line:
    """One of the best moves. `value`: expected score of the seat to move, 0 to 1. What an agent does not know is None."""

    move: int
    value: float | None
    prior: float | None
    margin: float | None
    depth: int
    visits: int
    pv: list[int]
    text: str


class Agent:
    """A player: "random", "hard", "mcts:sims=400", "zero:model=FILE"."""

    def __init__(self, game: str | Game, spec: str, *, seed: int = 0) -> None:
        self.game = Game.find(game)
        self.spec = spec
        self._h: Any = _keiko.agent_open(self.game.name, spec)
        self.begin(seed)

    def begin(self, seed: int = 0, number: int = 0, seat: int = 0) -> None:
        """A new game. Same seed, number, seat and moves: the same choices."""
        _keiko.agent_begin(self._h, seed, number, seat)

    def choose(self, position: Position) -> int:
        return _keiko.agent_choose(self._h, position._h)

    def saw(self, before: Position, move: int) -> None:
        """Tell it each move that is played, its own too: it may keep its tree."""
        _keiko.agent_saw(self._h, before._h, int(move))

    def analyse(self, position: Position, lines: int = 3) -> list[Line]:
        """The best moves, best first."""
        return [Line(**row) for row in _keiko.agent_analyse(self._h, position._h, lines)]

    def close(self) -> None:
        _keiko.close(self._h)

    def __enter__(self) -> Agent:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<keiko.Agent {self.spec} for {self.game.name}>"


class Evaluation(NamedTuple):
    """values: [n], -1 to 1 for the seat to move. policy: [n, moves], probabilities of the legal moves."""

    values: NDArray[np.float32]
    policy: NDArray[np.float32] | None


class Evaluator:
    """A network on many positions at once. `model`: a .safetensors file or the name of a model that ships."""

    def __init__(
        self,
        game: str | Game,
        model: str,
        *,
        backend: str | None = None,
        encoding: str | None = None,
        precision: str | None = None,
        max_batch: int = 0,
    ) -> None:
        self.game = Game.find(game)
        self.model = model
        self._h: Any = _keiko.evaluator_open(self.game.name, model, backend, encoding, precision, max_batch)

    def __call__(self, positions: Sequence[Position], *, policy: bool = True) -> Evaluation:
        n = len(positions)
        values = np.empty(n, np.float32)
        probabilities = np.empty((n, self.game.moves), np.float32) if policy else None
        if n > 0:
            _keiko.evaluate(self._h, tuple(p._h for p in positions), values, probabilities)
        return Evaluation(values, probabilities)

    def close(self) -> None:
        _keiko.close(self._h)

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
