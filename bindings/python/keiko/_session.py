"""A game being played or analysed: a tree of moves, players, files."""

from __future__ import annotations

import json
from typing import Any

from . import _keiko
from ._game import Game, Position


class Session:
    """One game with variations. Nodes are numbers, 0 the start; the current node is the position."""

    def __init__(
        self, game: str | Game, *, options: str | None = None, position: str | None = None, seed: int = 0
    ) -> None:
        self._h: Any = _keiko.session_open(Game.find(game).name, options, position, seed)

    @classmethod
    def load(cls, text: str, game: str | Game | None = None) -> Session:
        """From the text of a file: SGF, GGF, OBF, a puyop address, JSON, keiko's text or a list of moves."""
        s = cls.__new__(cls)
        s._h = _keiko.session_import(None if game is None else Game.find(game).name, text)
        return s

    def _do(self, verb: str, text: str | None = None, number: int = 0) -> None:
        _keiko.session_do(self._h, verb, text, number)

    def _ask(self, verb: str, text: str | None = None, number: int = 0) -> str:
        answer = _keiko.session_do(self._h, verb, text, number)
        assert answer is not None
        return answer

    def seat(self, seat: int, player: str) -> None:
        """"human", an agent or a level."""
        self._do("seat", player, seat)

    def play(self, move: str) -> None:
        self._do("play", move)

    def think(self) -> None:
        """The agent of the seat to move chooses and plays."""
        self._do("think")

    def back(self) -> None:
        self._do("back")

    def forward(self) -> None:
        self._do("forward")

    def goto(self, node: int) -> None:
        self._do("goto", None, node)

    def promote(self, node: int) -> None:
        """Its line becomes the main line."""
        self._do("promote", None, node)

    def delete(self, node: int) -> None:
        self._do("delete", None, node)

    def resign(self, seat: int) -> None:
        self._do("resign", None, seat)

    def stop(self) -> None:
        """Thinking under way answers soon; from any thread."""
        _keiko.session_stop(self._h)

    @property
    def position(self) -> Position:
        """A copy of the current position."""
        return Position._of(Game.find(self.state()["game"]), _keiko.session_position(self._h))

    def state(self, seat: int = -1) -> dict[str, Any]:
        """Everything, or what a seat may know."""
        state: dict[str, Any] = json.loads(self._ask("json", None, seat))
        return state

    def analyse(self, agent: str | None = None, lines: int = 3) -> Any:
        return json.loads(self._ask("analyse", agent, lines))

    def review(self, agent: str | None = None) -> Any:
        """What each move of the main line cost."""
        return json.loads(self._ask("review", agent))

    def export(self, format: str) -> str:
        """"sgf", "ggf", "obf", "puyop", "text", "moves", "json"."""
        return self._ask("export", format)

    def close(self) -> None:
        _keiko.close(self._h)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
