"""The package as people use it: games, agents, networks, sessions, training, matches."""

import copy
import importlib.metadata
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import keiko
from keiko import _keiko

SMALL = {"net": "c=8 b=1", "in_flight": 16, "sims": 16, "round": 32, "fill": 60, "batch": 32, "eval-every": 0}
program = os.environ.get("KEIKO_PROGRAM")


def random_game(game: str, seed: int) -> keiko.Position:
    rng, p = np.random.default_rng(seed), keiko.Position(game, seed=seed)
    for _ in range(int(rng.integers(1, 40))):
        legal = p.legal()
        if len(legal) == 0:
            break
        p.play(int(rng.choice(legal)))
    return p


def test_one_version() -> None:
    assert importlib.metadata.version("keiko") == keiko.__version__
    if program:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        assert said.startswith(f"keiko {keiko.__version__} (")


def test_games_and_shapes() -> None:
    names = [g.name for g in keiko.games()]
    assert {"othello", "contrast", "renju", "puyo", "puyo-solo"} <= set(names)
    for g in keiko.games():
        for e in g.encodings:
            s = g.shape(e)
            assert len(s.names) == s.planes + s.scalars
    with pytest.raises(keiko.Error, match="unknown game 'chess'"):
        keiko.Position("chess")
    with pytest.raises(keiko.Error, match="no encoding"):
        keiko.Position("othello").planes("nothing")


def test_positions() -> None:
    p = keiko.Position("othello")
    assert p.perft(6) == 8200  # known: 4, 12, 56, 244, 1396, 8200
    assert p.seat == 0 and not p.over and p.score is None
    p.play("f5")
    q = copy.copy(p)
    q.play(int(q.legal()[0]))
    assert p != q and keiko.Position("othello", text=str(p)) == p
    assert p.text(p.parse("f6")) == "f6"
    mask = p.mask()
    assert np.array_equal(np.flatnonzero(mask), p.legal())
    for wrong in (0, 65, 70000, -1):
        with pytest.raises((keiko.Error, OverflowError)):
            p.play(wrong)
    with pytest.raises(keiko.Error):
        p.play("z9")
    with pytest.raises(keiko.Error):
        keiko.Position("othello", text="rubbish")


def test_encodings() -> None:
    ps = [random_game("contrast", i) for i in range(20)]
    planes = keiko.encode(ps)
    assert planes.shape == (20, 66, 5, 5) and planes.dtype == np.float32
    assert np.array_equal(planes[3], ps[3].planes())
    out = np.empty_like(planes)
    assert keiko.encode(ps, out=out) is out and np.array_equal(out, planes)
    with pytest.raises(ValueError, match="bytes"):
        keiko.encode(ps, out=np.empty((1, 66, 5, 5), np.float32))
    with pytest.raises(keiko.Error, match="another game"):
        keiko.encode([ps[0], keiko.Position("othello")])


def test_agents_are_reproducible() -> None:
    games = []
    for _ in range(2):
        p, moves = keiko.Position("othello"), []
        agents = [keiko.Agent("othello", "mcts:sims=30"), keiko.Agent("othello", "random")]
        for seat, a in enumerate(agents):
            a.begin(seed=5, number=1, seat=seat)
        while not p.over:
            m = agents[p.seat].choose(p)
            for a in agents:
                a.saw(p, m)
            moves.append(m)
            p.play(m)
        games.append(moves)
    assert games[0] == games[1]
    with pytest.raises(keiko.Error, match="the game is over"):
        agents[0].choose(p)
    with pytest.raises(keiko.Error, match="another game"):
        agents[0].choose(keiko.Position("renju"))
    agents[0].close()
    with pytest.raises(keiko.Error, match="closed"):
        agents[0].choose(keiko.Position("othello"))


def test_analysis() -> None:
    lines = keiko.Agent("tictactoe", "mcts:sims=400").analyse(keiko.Position("tictactoe"), 3)
    assert len(lines) == 3 and all(0 <= l.value <= 1 and l.pv[0] == l.move for l in lines)
    assert lines[0].prior is not None and lines[0].visits >= lines[1].visits
    disc = keiko.Agent("othello", "alphabeta:depth=4").analyse(keiko.Position("othello"), 1)[0]
    assert disc.margin is not None and disc.prior is None


def test_evaluators() -> None:
    ps = [random_game("contrast", i) for i in range(100)]
    with keiko.Evaluator("contrast", "contrast") as net:
        values, policy = net(ps)
        for i in (0, 7, 99):
            one = net([ps[i]])
            assert one.values[0] == values[i] and np.array_equal(one.policy[0], policy[i])
            if not ps[i].over:
                assert abs(policy[i].sum() - 1) < 1e-4 and set(np.flatnonzero(policy[i])) <= set(ps[i].legal())
        assert net(ps, policy=False).policy is None
        answers: list[np.ndarray] = []
        threads = [threading.Thread(target=lambda: answers.append(net(ps).values)) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert len(answers) == 4 and all(np.array_equal(a, values) for a in answers)
    with pytest.raises(keiko.Error):
        keiko.Evaluator("contrast", "no-such-model")


def test_errors_keep_their_sentence() -> None:
    """Cut after 1023 bytes, within a letter, it was lost."""
    for n in range(3):
        with pytest.raises(keiko.Error, match="unknown game"):
            keiko.Position("x" * n + "ゲーム" * 200)


def test_large_batches() -> None:
    """The caller's tuple stays the caller's: with hundreds of positions a reference too few ended the process."""
    ps = [keiko.Position("othello") for _ in range(300)]
    handles, values = tuple(p._h for p in ps), np.empty(300, np.float32)
    with keiko.Evaluator("othello", "othello-small") as net:
        kept = [handles] * 10
        before = sys.getrefcount(handles)
        _keiko.evaluate(net._h, handles, values, None)
        assert sys.getrefcount(handles) == before and len(kept) == 10
        for _ in range(20):
            assert np.array_equal(net(ps).values, values)


def test_sessions() -> None:
    with keiko.Session("othello", seed=1) as s:
        s.play("f5")
        s.seat(1, "random")
        s.think()
        assert str(s.position) == str(s.position) and s.position.seat == 0
        s.back()
        s.play("f6")
        assert s.state()["game"] == "othello"
        assert len(s.analyse("alphabeta:depth=3", 2)) > 0
        sgf = s.export("sgf")
        with pytest.raises(keiko.Error):
            s.play("a1")
    assert str(keiko.Session.load(sgf).position)


@pytest.mark.skipif(program is None, reason="KEIKO_PROGRAM is not set")
@pytest.mark.parametrize("game", ["othello", "contrast", "renju", "puyo"])
def test_same_seed_same_game_as_the_program(game: str) -> None:
    out = subprocess.run(
        [program, "play", game, "--first", "random", "--second", "greedy", "--seed", "7", "--color", "never"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    told = [m.split("  ")[0].strip() for m in re.findall(r"^ *\d+\. (?:random|greedy) +(.+?)$", out, re.M)]
    with keiko.Session(game, seed=7) as s:
        s.seat(0, "random")
        s.seat(1, "greedy")
        while not s.position.over:
            s.think()
        played = s.export("moves").strip().replace("\n", ";").split(";")
    assert len(told) > 5
    assert [m.strip() for m in played if m.strip()] == told


def test_training(tmp_path: Path) -> None:
    seen: list[keiko.Progress] = []
    end = keiko.train(
        "tictactoe", config=SMALL, threads=1, seed=3, steps=12, model=tmp_path / "t.safetensors",
        each=lambda p: seen.append(p),
    )  # fmt: skip
    assert end.step == 12 and seen and seen[-1].loss > 0 and end.elo is None
    again = keiko.train("tictactoe", config=SMALL, threads=2, seed=3, steps=12)
    assert again.loss == end.loss  # the same run, whatever the threads
    values, policy = keiko.Evaluator("tictactoe", str(tmp_path / "t.safetensors"))([keiko.Position("tictactoe")])
    assert abs(policy.sum() - 1) < 1e-5 and -1 <= values[0] <= 1
    stopped = keiko.train("tictactoe", config=SMALL, threads=1, seed=3, steps=1000, each=lambda p: p.step >= 2)
    assert 2 <= stopped.step < 1000

    def bad(p: keiko.Progress) -> None:
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        keiko.train("tictactoe", config=SMALL, threads=1, steps=1000, each=bad)
    with pytest.raises(keiko.Error, match="how long"):
        keiko.train("tictactoe", config=SMALL, each=lambda p: True)
    with pytest.raises(keiko.Error, match="nett"):
        keiko.train("tictactoe", config={"nett": 3}, steps=1)


def test_matches_and_benches() -> None:
    s = keiko.match("tictactoe", "greedy", "random", pairs=20, seed=1)
    assert s.games == 40 and s.wins + s.draws + s.losses == 40 and s.low < s.score < s.high
    assert s == keiko.match("tictactoe", "greedy", "random", pairs=20, seed=1, threads=1)
    b = keiko.bench("tictactoe", ["random", "greedy", {"id": "tree", "agent": "mcts:sims=50"}], games=20)
    assert b.players == ["random", "greedy", "tree"]
    assert b.rating[2] > b.rating[0] and np.all(b.low <= b.rating) and np.all(b.rating <= b.high)
    assert (b.wins + b.wins.T + b.draws)[0, 1] == 20
    assert {row["name"] for row in keiko.agents("renju")} >= {"random", "alphabeta"}
    assert keiko.models() and keiko.levels("othello")


def test_models_come_with_the_package() -> None:
    """The large ones as files beside the extension, whatever folder it is used from."""
    if os.environ.get("KEIKO_MODELS"):
        pytest.skip("KEIKO_MODELS names another folder")
    where = {m["name"]: m["location"] for m in keiko.models()}
    assert where["othello"] == str(Path(_keiko.__file__).with_name("models") / "othello.safetensors")
    assert None not in where.values()


def test_one_object_two_threads() -> None:
    """A second thread is refused; nothing crashes."""
    agent, p = keiko.Agent("othello", "mcts:sims=20000"), keiko.Position("othello")
    answers: list[object] = []
    begun = threading.Event()

    def think() -> None:
        begun.set()
        try:
            answers.append(agent.choose(p))
        except keiko.Error as e:
            answers.append(e)

    threads = [threading.Thread(target=think) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert any(isinstance(a, int) for a in answers)
    assert all(isinstance(a, int) or "in use by another thread" in str(a) for a in answers)
