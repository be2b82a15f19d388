"""Training, matches, benches and lists."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _keiko
from ._game import Game


@dataclass(frozen=True)
class Progress:
    """Where a training stands. `elo`: rating with its interval, None before the first rating."""

    step: int
    games: int
    positions: int
    simulations: int
    seconds: float
    loss: float
    elo: tuple[float, float, float] | None


def train(
    game: str | Game,
    *,
    run: str | os.PathLike[str] | None = None,
    resume: bool = False,
    preset: str | None = None,
    config: str | Mapping[str, object] | None = None,
    backend: str | None = None,
    threads: int = 0,
    seed: int = 0,
    minutes: float = 0.0,
    steps: int = 0,
    games: int = 0,
    model: str | os.PathLike[str] | None = None,
    each: Callable[[Progress], object] | None = None,
) -> Progress:
    """Trains a network, as `keiko train` does. `config`: its options, as lines or a dict ({"sims": 48, "net": "c=32 b=3"}).

    At least one of `minutes`, `steps` and `games` says how long, unless `config` or the run that is resumed does.
    `each` is called after every round; a true answer, an exception or Ctrl-C ends the training (and saves).
    """
    if isinstance(config, Mapping):
        config = "".join(f"{k.replace('_', '-')} = {v}\n" for k, v in config.items())

    def hear(row: dict[str, Any]) -> object:
        return each(Progress(**row)) if each is not None else None

    return Progress(
        **_keiko.train(
            Game.find(game).name, None if run is None else os.fspath(run), resume, preset, config, backend, threads,
            seed, minutes, steps, games, None if model is None else os.fspath(model), hear if each is not None else None,
        )
    )


@dataclass(frozen=True)
class MatchScore:
    """Of the first agent: 0 to 1, with its 95 % interval."""

    games: int
    wins: int
    draws: int
    losses: int
    score: float
    low: float
    high: float


def match(game: str | Game, first: str, second: str, *, pairs: int = 50, seed: int = 0, threads: int = 0) -> MatchScore:
    """Each opening is played twice with sides swapped."""
    return MatchScore(**_keiko.match(Game.find(game).name, first, second, pairs, seed, threads))


@dataclass(frozen=True)
class BenchResult:
    """A run of the bench as arrays. `results` is everything that `keiko bench` writes, as a dict."""

    players: list[str]
    rating: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    wins: NDArray[np.float64]  # [a, b]: games that a won against b
    draws: NDArray[np.float64]  # [a, b]: symmetric
    results: dict[str, Any]


def bench(
    game: str | Game,
    players: Sequence[str | Mapping[str, Any]],
    *,
    games: int = 50,
    folder: str | os.PathLike[str] | None = None,
    threads: int = 0,
    seed: int = 1,
    **config: Any,
) -> BenchResult:
    """Rates players against each other, as `keiko bench --config` does; further keywords are keys of that file."""
    asked = {"game": Game.find(game).name, "players": list(players), "gamesPerPair": games, "seed": seed, **config}
    text = _keiko.bench(json.dumps(asked), None if folder is None else os.fspath(folder), threads)
    return _bench_arrays(json.loads(text))


def _bench_arrays(results: dict[str, Any]) -> BenchResult:
    names = list(results["ratings"])
    at = {name: i for i, name in enumerate(names)}
    wins, draws = np.zeros((len(names),) * 2), np.zeros((len(names),) * 2)
    for row in results["matchups"]:
        a, b = at[row["playerA"]], at[row["playerB"]]
        wins[a, b] += row["winsA"]
        wins[b, a] += row["winsB"]
        draws[a, b] += row["draws"]
        draws[b, a] += row["draws"]

    def column(key: str) -> NDArray[np.float64]:
        values = (row.get(key) for row in results["ratings"].values())
        return np.array([np.nan if v is None else v for v in values], np.float64)

    return BenchResult(names, column("rating"), column("low"), column("high"), wins, draws, results)


def agents(game: str | Game | None = None) -> list[dict[str, Any]]:
    """The kinds of agents and their parameters."""
    return _list("agents", game)


def levels(game: str | Game | None = None) -> list[dict[str, Any]]:
    return _list("levels", game)


def models() -> list[dict[str, Any]]:
    """The networks and weights that are installed."""
    return _list("models", None)


def _list(what: str, game: str | Game | None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(_keiko.list_json(what, None if game is None else Game.find(game).name))
    return rows
