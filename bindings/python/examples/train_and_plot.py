"""Trains a network from Python, shows progress, plots the loss and measures the result.

    /usr/bin/python3 train_and_plot.py [tictactoe] [--seconds 30] [--plot loss.svg]

The plot is an SVG written here; with matplotlib installed it is matplotlib's.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import keiko


def draw(points: list[tuple[float, float]], path: str, title: str) -> None:
    try:
        from matplotlib import pyplot  # type: ignore[import-not-found]
    except ImportError:
        Path(path).write_text(svg(points, title))
        return
    pyplot.plot([x for x, _ in points], [y for _, y in points])
    pyplot.title(title)
    pyplot.xlabel("seconds")
    pyplot.savefig(path)


def svg(points: list[tuple[float, float]], title: str) -> str:
    wide, high, edge = 640, 320, 40
    most_x, most_y = max(x for x, _ in points) or 1, max(y for _, y in points) or 1
    line = " ".join(
        f"{edge + x / most_x * (wide - 2 * edge):.1f},{high - edge - y / most_y * (high - 2 * edge):.1f}" for x, y in points
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" font-family="sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="white"/><text x="{edge}" y="20">{title}</text>'
        f'<polyline points="{line}" fill="none" stroke="steelblue" stroke-width="1.5"/>'
        f'<text x="{edge}" y="{high - 12}">0 s</text><text x="{wide - edge}" y="{high - 12}" text-anchor="end">{most_x:.0f} s</text>'
        f'<text x="4" y="{edge}">{most_y:.2f}</text></svg>\n'
    )


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("game", nargs="?", default="tictactoe")
    ask.add_argument("--seconds", type=float, default=30.0)
    ask.add_argument("--plot", default="loss.svg")
    ask.add_argument("--game-lib", help="load the game from a library first")
    o = ask.parse_args()
    if o.game_lib:
        keiko.load_games(o.game_lib)
    losses: list[tuple[float, float]] = []

    def each(p: keiko.Progress) -> None:
        if p.loss > 0:
            losses.append((p.seconds, p.loss))
        print(f"\r{p.seconds:5.0f} s  {p.games} games  {p.step} steps  loss {p.loss:.3f}", end="", flush=True)

    small = {"net": "c=32 b=3", "in-flight": 64, "sims": 48, "round": 48, "fill": 1000, "batch": 128, "eval-every": 0}
    with tempfile.TemporaryDirectory() as folder:
        model = f"{folder}/net.safetensors"
        keiko.train(o.game, config=small, minutes=o.seconds / 60, seed=1, model=model, each=each)
        print()
        score = keiko.match(o.game, f"zero:model={model},sims=30", "mcts:sims=30", pairs=25)
    print(f"against mcts with as many simulations: {score.score:.0%} ({score.low:.0%} to {score.high:.0%})")
    if losses:
        draw(losses, o.plot, f"{o.game}: loss of self-play training")
        print(f"loss of {len(losses)} rounds: {o.plot}")


if __name__ == "__main__":
    main()
