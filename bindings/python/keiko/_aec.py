"""A game for two with PettingZoo's interface: agents take turns (AEC)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import spaces
from ._env import Observation, observation_space
from ._game import Game, Position, encode

try:
    from pettingzoo import AECEnv as _Base  # type: ignore[import-not-found]
except ImportError:
    _Base = object


class AECEnv(_Base):  # type: ignore[misc]
    """Agents are "player_0" and "player_1". Who passes, or waits for the other's clock, is not selected.

        env = keiko.AECEnv("renju")
        env.reset(seed=1)
        for agent in env.agent_iter():
            obs, reward, terminated, truncated, info = env.last()
            env.step(None if terminated or truncated else env.action_space(agent).sample(obs["action_mask"]))
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "name": "keiko_v0", "is_parallelizable": False}

    def __init__(
        self, game: str | Game, *, options: str | None = None, encoding: str | None = None, max_plies: int = 0
    ) -> None:
        self.game = Game.find(game)
        self.metadata = {**AECEnv.metadata, "name": f"keiko_{self.game.name}_v0"}
        self.possible_agents = [f"player_{i}" for i in range(self.game.seats)]
        self.render_mode = "ansi"
        self._options, self._encoding, self._max = options, encoding, max_plies
        self._space = observation_space(self.game, encoding, True)
        self._actions = {a: spaces.Discrete(self.game.moves) for a in self.possible_agents}
        self._shape = self.game.shape(encoding)
        self._games = 0
        self._seed = 0
        self.agents: list[str] = []

    @property
    def unwrapped(self) -> AECEnv:
        return self

    @property
    def num_agents(self) -> int:
        return len(self.agents)

    @property
    def max_num_agents(self) -> int:
        return len(self.possible_agents)

    def observation_space(self, agent: str) -> Any:
        return self._space

    def action_space(self, agent: str) -> Any:
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """With a seed: its first game. Without: the next one."""
        if seed is not None:
            self._seed, self._games = seed, 0
        self.position = Position(self.game, options=self._options, seed=self._seed, number=self._games)
        self._games += 1
        self._plies = 0
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {a: {} for a in self.agents}
        self.agent_selection = self.possible_agents[self.position.seat]

    def observe(self, agent: str) -> Observation:
        """What the seat to move sees; the mask is empty for the other one."""
        s, all_planes = self._shape, encode([self.position], self._encoding)[0]
        obs: Observation = {"observation": all_planes[: s.planes]}
        if s.scalars > 0:
            obs["scalars"] = all_planes[s.planes :, 0, 0].copy()
        moves = agent == self.agent_selection and not self.terminations.get(agent, True)
        obs["action_mask"] = self.position.mask().view(np.int8) if moves else np.zeros(self.game.moves, np.int8)
        return obs

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        a = self.agent_selection
        seen = self.observe(a) if observe else None
        return seen, self._cumulative_rewards[a], self.terminations[a], self.truncations[a], self.infos[a]

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._leave(agent, action)
            return
        if action is None:
            raise ValueError("an agent that is not done needs an action")
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.position.play(action)
        self._plies += 1
        score = self.position.score
        if score is not None:
            for i, a in enumerate(self.possible_agents):
                self.rewards[a] = score[0] if self.game.seats == 1 else 2 * score[i] - 1
                self.terminations[a] = True
        elif 0 < self._max <= self._plies:
            self.truncations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.possible_agents[self.position.seat]
        for a in self.agents:
            self._cumulative_rewards[a] += self.rewards[a]

    def _leave(self, agent: str, action: int | None) -> None:
        if action is not None:
            raise ValueError("when an agent is done, the only action is None")
        self.agents.remove(agent)
        for table in (self.rewards, self._cumulative_rewards, self.terminations, self.truncations, self.infos):
            table.pop(agent)  # type: ignore[attr-defined]
        if self.agents:
            self.agent_selection = self.agents[0]

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        while self.agents and max_iter > 0:
            yield self.agent_selection
            max_iter -= 1

    def render(self) -> str:
        return self.position.draw()

    def state(self) -> Any:
        return str(self.position)

    def close(self) -> None:
        pass
