"""Environments with Gymnasium's conventions: VectorEnv for many games at once, Env for one.

An observation is a dict, as PettingZoo has it for board games: "observation" (planes of 0 and 1), "scalars" where the game
has some, and "action_mask". It shows the position as the seat to move sees it; `info["seat"]` says which that is.

Alone (puyo-solo) a step is one placement and its reward the points. In games for two there are two ways: without an
`opponent` you decide for both seats in turn, and a step's reward is that of the seat that moved; with one (an agent: "random",
"greedy", "mcts:sims=50") the environment plays the other seat, which changes with every game.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _keiko, spaces
from ._game import Game, Position

try:
    from gymnasium import Env as _EnvBase  # type: ignore[import-not-found]
    from gymnasium.vector import AutoresetMode, VectorEnv as _VectorBase  # type: ignore[import-not-found]

    _same_step: Any = AutoresetMode.SAME_STEP
except ImportError:
    _EnvBase = object
    _VectorBase = object
    _same_step = "SameStep"

EVENTS = ("chain", "points", "sent", "received", "frames", "all_clear")
Observation = dict[str, NDArray[Any]]


def observation_space(game: Game, encoding: str | None, floats: bool, n: int | None = None) -> Any:
    s = game.shape(encoding)
    front = () if n is None else (n,)
    dtype = np.float32 if floats else np.uint8
    parts = {"observation": spaces.Box(0, 1, (*front, s.planes, s.rows, s.cols), dtype)}
    if s.scalars > 0:
        parts["scalars"] = spaces.Box(-np.inf, np.inf, (*front, s.scalars), np.float32)
    parts["action_mask"] = spaces.Box(0, 1, (*front, game.moves), np.int8)
    return spaces.Dict(parts)


class VectorEnv(_VectorBase):  # type: ignore[misc]
    """`num_envs` games at once. A game that ends begins anew in the same step (autoreset mode "same step"): observations are
    then those of the next game, and the last position is in `infos["final_obs"]`.

    The arrays of observations, rewards and ends are the same objects in every step, unless `copy` is set. The games depend on
    the seed and the moves only, not on `threads`. An action of -1 is a random legal move.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "autoreset_mode": _same_step}

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        opponent: str | None = None,
        options: str | None = None,
        encoding: str | None = None,
        threads: int = 0,
        max_plies: int = 0,
        seed: int = 0,
        floats: bool = False,
        copy: bool = False,
        final_obs: bool = True,
        events: bool = False,
    ) -> None:
        self.game = g = Game.find(game)
        self.num_envs = n = num_envs
        self.render_mode = "ansi"
        s = g.shape(encoding)
        dtype = np.float32 if floats else np.uint8
        self._copy, self._final = copy, final_obs
        self._planes = np.zeros((n, s.planes, s.rows, s.cols), dtype)
        self._scalars = np.zeros((n, s.scalars), np.float32)
        self._masks = np.zeros((n, g.moves), np.int8)
        self._seats = np.zeros(n, np.uint8)
        self._before = np.zeros(n, np.uint8)  # who moved in the last step
        self._rewards = np.zeros((n, g.seats), np.float32)
        self._ended = np.zeros(n, np.bool_)
        self._cut = np.zeros(n, np.bool_)
        self._lengths = np.zeros(n, np.int32)
        self._events = np.zeros((n, len(EVENTS)), np.int32) if events else None
        self._last_planes = np.zeros_like(self._planes) if final_obs else None
        self._last_scalars = np.zeros_like(self._scalars) if final_obs else None
        self._moves = np.zeros(n, np.int32)
        self._slots = np.arange(n)
        self._h: Any = _keiko.env_open(
            g.name, options, encoding, opponent, n, threads, max_plies, floats, seed,
            {
                "planes": self._planes, "scalars": self._scalars if s.scalars else None, "masks": self._masks,
                "seats": self._seats, "rewards": self._rewards, "terminated": self._ended, "truncated": self._cut,
                "lengths": self._lengths, "events": self._events, "final_planes": self._last_planes,
                "final_scalars": self._last_scalars if s.scalars else None,
            },
        )  # fmt: skip
        self.single_observation_space = observation_space(g, encoding, floats)
        self.observation_space = observation_space(g, encoding, floats, n)
        self.single_action_space = spaces.Discrete(g.moves)
        self.action_space = spaces.MultiDiscrete(np.full(n, g.moves))
        self._obs: Observation = {"observation": self._planes}
        if s.scalars:
            self._obs["scalars"] = self._scalars
        self._obs["action_mask"] = self._masks

    def _see(self) -> Observation:
        return {k: v.copy() for k, v in self._obs.items()} if self._copy else self._obs

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"seat": self._seats, "length": self._lengths}
        if self._events is not None:
            info["events"] = self._events
        if self._copy:
            info = {k: v.copy() for k, v in info.items()}
        return info

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """With a seed: its first games. Without: the next ones."""
        _keiko.env_reset(self._h, seed)
        return self._see(), self._info()

    def step(
        self, actions: ArrayLike
    ) -> tuple[Observation, NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One decision in every game. An illegal move is an Error, and nothing is played in any game."""
        moves = np.asarray(actions)
        if moves.shape != (self.num_envs,) or moves.dtype.kind not in "iu":
            raise ValueError(f"actions must be {self.num_envs} whole numbers")
        if moves.dtype != np.int32 or not moves.flags.c_contiguous:
            np.clip(moves.astype(np.int64, copy=False), -2, 2**30, out=self._moves, casting="unsafe")
            moves = self._moves
        self._before[:] = self._seats
        _keiko.env_step(self._h, moves)
        rewards = self._rewards[self._slots, self._before] if self.game.seats > 1 else self._rewards[:, 0].copy()
        info = self._info()
        if self._final:
            self._add_final(info)
        if self._copy:
            return self._see(), rewards, self._ended.copy(), self._cut.copy(), info
        return self._obs, rewards, self._ended, self._cut, info

    def _add_final(self, info: dict[str, Any]) -> None:
        done = self._ended | self._cut
        which = np.flatnonzero(done)
        if len(which) == 0:
            return
        assert self._last_planes is not None and self._last_scalars is not None
        # One copy of all that ended; each slot gets a view.
        planes, scalars = self._last_planes[which], self._last_scalars[which]
        final = np.full(self.num_envs, None, object)
        for k, i in enumerate(which):
            obs = {"observation": planes[k]}
            if "scalars" in self._obs:
                obs["scalars"] = scalars[k]
            final[i] = obs
        info["final_obs"], info["_final_obs"] = final, done

    @property
    def rewards(self) -> NDArray[np.float32]:
        """[num_envs, seats]: the last step's rewards of all seats."""
        return self._rewards

    def position(self, i: int) -> Position:
        """A copy of game i's position."""
        return Position._of(self.game, _keiko.env_position(self._h, i))

    def render(self) -> list[str]:
        return [self.position(i).draw() for i in range(self.num_envs)]

    def close(self, **_: Any) -> None:
        _keiko.close(self._h)

    def __enter__(self) -> VectorEnv:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Env(_EnvBase):  # type: ignore[misc]
    """One game with Gymnasium's interface. After the end, reset() before the next step."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(self, game: str | Game, **options: Any) -> None:
        options.setdefault("threads", 1)
        self._many = VectorEnv(game, 1, copy=True, **options)
        self.game = self._many.game
        self.render_mode = "ansi"
        self.observation_space = self._many.single_observation_space
        self.action_space = self._many.single_action_space
        self._over = True

    @staticmethod
    def _one(info: dict[str, Any]) -> dict[str, Any]:
        return {"seat": int(info["seat"][0]), "length": int(info["length"][0])}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        obs, info = self._many.reset(seed=seed)
        self._over = False
        return {k: v[0] for k, v in obs.items()}, self._one(info)

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        if self._over:
            raise _keiko.Error("the game is over: reset the environment")
        obs, rewards, ended, cut, info = self._many.step(np.array([action]))
        seen = {k: v[0] for k, v in obs.items()}
        self._over = bool(ended[0] or cut[0])
        if self._over:  # the position in which the game ended, not the next game's first
            seen.update(info["final_obs"][0])
            seen["action_mask"] = np.zeros_like(seen["action_mask"])
        return seen, float(rewards[0]), bool(ended[0]), bool(cut[0]), self._one(info)

    def position(self) -> Position:
        return self._many.position(0)

    def render(self) -> str:
        return self.position().draw()

    def close(self) -> None:
        self._many.close()
