"""keiko for Python: games, agents, networks, training, matches and vectorised environments.

    import keiko

    p = keiko.Position("othello")
    agent = keiko.Agent("othello", "hard")
    while not p.over:
        p.play(agent.choose(p))
    print(p.draw())

Everything long runs in C without the GIL. Arrays are numpy's and are written in place.
"""

from ._game import Game, Position, encode, games, load_games
from ._agent import Agent, Evaluation, Evaluator, Line
from ._env import Env, VectorEnv
from ._aec import AECEnv
from ._session import Session
from ._run import BenchResult, MatchScore, Progress, agents, bench, levels, match, models, train
from ._keiko import Error, about as _about

__version__: str = _about()["version"]

__all__ = [
    "AECEnv", "Agent", "BenchResult", "Env", "Error", "Evaluation", "Evaluator", "Game", "Line", "MatchScore",
    "Position", "Progress", "Session", "VectorEnv", "__version__", "agents", "bench", "encode", "games", "levels",
    "load_games", "match", "models", "train",
]
