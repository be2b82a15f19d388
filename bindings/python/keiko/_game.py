"""Games and positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _keiko


@dataclass(frozen=True)
class Shape:
    """The size of an encoding: planes of 0 and 1, then scalars. `names` says what each of them shows."""

    planes: int
    scalars: int
    rows: int
    cols: int
    names: tuple[str, ...]


@dataclass(frozen=True)
class Game:
    """What is known of a game. `keiko.games()` lists them all."""

    name: str
    title: str
    moves: int
    max_legal: int
    seats: int
    encodings: tuple[str, ...]

    @staticmethod
    def find(name: str | Game) -> Game:
        return name if isinstance(name, Game) else _find(name)

    def shape(self, encoding: str | None = None) -> Shape:
        planes, scalars, rows, cols, names = _keiko.game_shape(self.name, encoding)
        return Shape(planes, scalars, rows, cols, tuple(names))


@lru_cache(maxsize=None)
def _find(name: str) -> Game:
    info = _keiko.game_info(name)
    return Game(encodings=tuple(info.pop("encodings")), **info)


def games() -> list[Game]:
    """All games, those of loaded libraries included."""
    return [_find(name) for name in _keiko.game_names()]


def load_games(library: str) -> list[Game]:
    """Loads a game library, as `keiko --game-lib` does; returns its games."""
    before = set(_keiko.game_names())
    _keiko.game_load(library)
    return [g for g in games() if g.name not in before]


class Position:
    """A position as the referee knows it. `seed` and `number` decide all chance."""

    __slots__ = ("_h", "game", "__weakref__")

    def __init__(
        self, game: str | Game, *, text: str | None = None, options: str | None = None, seed: int = 0, number: int = 0
    ) -> None:
        self.game = Game.find(game)
        if text is None:
            self._h: Any = _keiko.position_new(self.game.name, options, seed, number)
        elif options is None:
            self._h = _keiko.position_parse(self.game.name, text)
        else:
            raise TypeError("a position's text carries its own options")

    @classmethod
    def _of(cls, game: Game, handle: Any) -> Position:
        p = cls.__new__(cls)
        p.game = game
        p._h = handle
        return p

    def copy(self) -> Position:
        return Position._of(self.game, _keiko.position_copy(self._h))

    __copy__ = copy

    @property
    def seat(self) -> int:
        """Whose decision is next."""
        return _keiko.position_seat(self._h)

    @property
    def over(self) -> bool:
        return _keiko.position_over(self._h) is not None

    @property
    def score(self) -> tuple[float, float] | None:
        """1, 0.5 or 0 for each seat; alone: the points. None while the game goes on."""
        return _keiko.position_over(self._h)

    def legal(self) -> NDArray[np.uint16]:
        """The legal moves, ascending; none when the game is over."""
        moves = np.empty(self.game.max_legal, np.uint16)
        return moves[: _keiko.position_legal(self._h, moves)]

    def mask(self, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
        """1 where a move is legal."""
        if out is not None and out.dtype.itemsize != 1:
            raise TypeError("out must be uint8")
        mask = np.empty(self.game.moves, np.uint8) if out is None else out
        _keiko.position_mask(self._h, mask)
        return mask

    def play(self, move: int | str) -> None:
        """A move's number, or its text."""
        _keiko.position_play(self._h, self.parse(move) if isinstance(move, str) else int(move))

    def parse(self, move: str) -> int:
        return _keiko.move_parse(self._h, move)

    def text(self, move: int) -> str:
        return _keiko.move_print(self._h, int(move))

    def draw(self, colour: bool = False) -> str:
        return _keiko.position_text(self._h, True, colour)

    def perft(self, depth: int) -> int:
        return _keiko.position_perft(self._h, depth)

    def planes(self, encoding: str | None = None) -> NDArray[np.float32]:
        """What a network sees: [planes + scalars, rows, cols]."""
        return encode([self], encoding)[0]

    def __str__(self) -> str:
        return _keiko.position_text(self._h, False, False)

    def __repr__(self) -> str:
        return f"<keiko.Position {self.game.name} {str(self)!r}>"

    def __hash__(self) -> int:
        return _keiko.position_hash(self._h)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self.game == other.game and hash(self) == hash(other)


def encode(
    positions: Sequence[Position], encoding: str | None = None, out: NDArray[np.float32] | None = None
) -> NDArray[np.float32]:
    """[n, planes + scalars, rows, cols] for positions of one game."""
    if not positions:
        raise ValueError("no positions")
    game = positions[0].game
    s = game.shape(encoding)
    if out is None:
        out = np.empty((len(positions), s.planes + s.scalars, s.rows, s.cols), np.float32)
    elif out.dtype != np.float32:
        raise TypeError("out must be float32")
    _keiko.encode(game.name, tuple(p._h for p in positions), encoding, out)
    return out
