"""Checks of environments against the conventions of Gymnasium 1 and PettingZoo, for ours and for wrappers around them.

The packages' own checkers need the packages; these need numpy only. Each raises AssertionError with what is wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def check_vector_env(env: Any, steps: int = 200, seed: int = 3) -> None:
    n = env.num_envs
    assert isinstance(n, int) and n > 0, "num_envs must be a positive number"
    assert "autoreset_mode" in env.metadata, "metadata names the autoreset mode"
    rng = np.random.default_rng(seed)
    obs, info = env.reset(seed=seed)
    first = {k: v.copy() for k, v in obs.items()}
    assert env.observation_space.contains(obs), "reset: the observation is not in observation_space"
    assert isinstance(info, dict), "reset gives (observation, info)"
    ended = 0
    for _ in range(steps):
        actions = np.array([rng.choice(np.flatnonzero(m)) for m in obs["action_mask"]])
        assert env.action_space.contains(actions), "the actions are not in action_space"
        result = env.step(actions)
        assert len(result) == 5, "step gives five things"
        obs, rewards, terminations, truncations, info = result
        assert env.observation_space.contains(obs), "step: the observation is not in observation_space"
        for name, x, kind in (("rewards", rewards, "f"), ("terminations", terminations, "b"), ("truncations", truncations, "b")):
            assert isinstance(x, np.ndarray) and x.shape == (n,) and x.dtype.kind == kind, f"{name}: wrong shape or type"
        assert not np.any(terminations & truncations), "a game ends one way only"
        assert np.all(obs["action_mask"].any(axis=1)), "every game has a legal move: those that ended began anew"
        done = terminations | truncations
        ended += int(done.sum())
        if done.any():
            assert np.array_equal(info["_final_obs"], done), "_final_obs marks the games that ended"
            for i in np.flatnonzero(done):
                last = info["final_obs"][i]
                space = env.single_observation_space["observation"]
                assert space.contains(last["observation"]), "final_obs: not in the space"
    assert ended > 0, "no game ended; give more steps"
    again, _ = env.reset(seed=seed)
    for k, v in again.items():
        assert np.array_equal(v, first[k]), f"reset with the same seed gives another {k}"


def check_env(env: Any, games: int = 3, seed: int = 3) -> None:
    rng = np.random.default_rng(seed)
    for g in range(games):
        obs, info = env.reset(seed=seed + g)
        assert isinstance(info, dict) and env.observation_space.contains(obs), "reset: not in observation_space"
        terminated = truncated = False
        while not (terminated or truncated):
            action = int(rng.choice(np.flatnonzero(obs["action_mask"])))
            assert env.action_space.contains(action)
            obs, reward, terminated, truncated, info = env.step(action)
            assert env.observation_space.contains(obs), "step: not in observation_space"
            assert isinstance(reward, float) and isinstance(terminated, bool) and isinstance(truncated, bool)
        assert not obs["action_mask"].any(), "no move is legal after the end"
        try:
            env.step(0)
        except ValueError:
            continue
        raise AssertionError("a step after the end must be refused")


def check_aec_env(env: Any, games: int = 5, seed: int = 3) -> None:
    rng = np.random.default_rng(seed)
    for g in range(games):
        env.reset(seed=seed + g)
        assert env.agents == env.possible_agents, "reset brings all agents back"
        totals = dict.fromkeys(env.possible_agents, 0.0)
        left = []
        for agent in env.agent_iter():
            assert agent == env.agent_selection
            obs, reward, terminated, truncated, info = env.last()
            assert set(env.rewards) == set(env.agents) == set(env.terminations) == set(env.truncations) == set(env.infos)
            assert env.observation_space(agent).contains(obs), "the observation is not in its space"
            totals[agent] += reward
            if terminated or truncated:
                assert not obs["action_mask"].any()
                left.append(agent)
                env.step(None)
            else:
                env.step(int(rng.choice(np.flatnonzero(obs["action_mask"]))))
        assert sorted(left) == sorted(env.possible_agents), "every agent hears of the end once"
        assert env.agents == [], "all agents are gone at the end"
        if len(totals) == 2 and not truncated:
            assert sum(totals.values()) == 0, f"the rewards of a game for two sum to zero, not {totals}"
