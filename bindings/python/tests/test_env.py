"""Environments: conventions, the same games as positions give, threads, leaks."""

import os
import signal
import threading

import numpy as np
import pytest

import keiko
from keiko.testing import check_aec_env, check_env, check_vector_env

GAMES = ["othello", "contrast", "renju", "puyo", "puyo-solo", "tictactoe"]


@pytest.mark.parametrize("game", GAMES)
def test_conventions(game: str) -> None:
    check_vector_env(keiko.VectorEnv(game, 6, max_plies=50, copy=True), 150)
    check_vector_env(keiko.VectorEnv(game, 3, floats=True, threads=2), 400)
    check_env(keiko.Env(game, max_plies=40))
    check_env(keiko.Env(game), 2)
    check_aec_env(keiko.AECEnv(game), 2)


def test_conventions_with_an_opponent() -> None:
    check_vector_env(keiko.VectorEnv("othello", 4, opponent="random"), 100)
    check_vector_env(keiko.VectorEnv("tictactoe", 4, opponent="greedy"), 50)
    check_env(keiko.Env("renju", opponent="random"))


def test_checker_finds_mistakes() -> None:
    class Wrong(keiko.VectorEnv):
        def step(self, actions):  # type: ignore[no-untyped-def]
            obs, rewards, ended, cut, info = super().step(actions)
            return obs, rewards.astype(np.int32), ended, cut, info

    with pytest.raises(AssertionError, match="rewards"):
        check_vector_env(Wrong("othello", 2))

    class Forgetful(keiko.AECEnv):
        def observe(self, agent):  # type: ignore[no-untyped-def]
            obs = super().observe(agent)
            obs.pop("action_mask")
            return obs

    with pytest.raises((AssertionError, KeyError)):
        check_aec_env(Forgetful("othello"))


@pytest.mark.parametrize("game", GAMES)
def test_same_games_as_positions(game: str) -> None:
    """Games of the seed, replayed one by one."""
    n, rng = 4, np.random.default_rng(1)
    env = keiko.VectorEnv(game, n, seed=11)
    obs, _ = env.reset()
    numbers = list(range(n))
    ps = [keiko.Position(game, seed=11, number=i) for i in numbers]
    planes = env.game.shape().planes
    for _ in range(150):
        moves = np.array([rng.choice(p.legal()) for p in ps])
        obs, rewards, ended, cut, _ = env.step(moves)
        for i, p in enumerate(ps):
            mover = p.seat
            p.play(int(moves[i]))
            assert p.over == ended[i]
            if p.over:
                if env.game.seats == 2:
                    assert rewards[i] == 2 * p.score[mover] - 1
                numbers[i] += n
                p = ps[i] = keiko.Position(game, seed=11, number=numbers[i])
            assert hash(env.position(i)) == hash(p)
            assert np.array_equal(obs["action_mask"][i], p.mask())
            assert np.array_equal(obs["observation"][i], p.planes()[:planes])


def test_zero_copy_and_copy() -> None:
    env = keiko.VectorEnv("othello", 3)
    first, _ = env.reset()
    second = env.step(np.full(3, -1))[0]
    assert first["observation"] is second["observation"]
    env = keiko.VectorEnv("othello", 3, copy=True)
    first, _ = env.reset()
    second = env.step(np.full(3, -1))[0]
    assert not np.array_equal(first["observation"], second["observation"])


def test_wrong_actions() -> None:
    env = keiko.VectorEnv("othello", 3)
    with pytest.raises(keiko.Error, match="reset"):
        env.step(np.full(3, -1))
    env.reset()
    for wrong in ([19, 19, 0], [19, 19, 2**40], [19, 19, 65]):
        with pytest.raises(keiko.Error, match="game 2: move .* is not legal"):
            env.step(np.array(wrong))
    with pytest.raises(ValueError, match="3 whole numbers"):
        env.step([19, 19])
    with pytest.raises(ValueError, match="whole numbers"):
        env.step([19.0, 19.0, 19.0])
    env.close()
    with pytest.raises(keiko.Error, match="closed"):
        env.reset()
    with pytest.raises(keiko.Error, match="played alone"):
        keiko.VectorEnv("puyo-solo", 1, opponent="random")


def test_events() -> None:
    env = keiko.VectorEnv("puyo-solo", 16, events=True)
    env.reset()
    points = 0
    for _ in range(200):
        _, rewards, _, _, info = env.step(np.full(16, -1))
        assert np.array_equal(info["events"][:, 1], rewards)
        points += rewards.sum()
    assert points > 0


def test_numbers_that_do_not_fit_are_refused() -> None:
    for seed in (-1, 2**64, 2**64 + 1):
        for call in (
            lambda: keiko.VectorEnv("othello", 1, seed=seed),
            lambda: keiko.VectorEnv("othello", 1).reset(seed=seed),
            lambda: keiko.Position("othello", seed=seed),
            lambda: keiko.Position("othello", number=seed),
            lambda: keiko.Agent("othello", "random", seed=seed),
            lambda: keiko.Session("othello", seed=seed),
            lambda: keiko.match("othello", "random", "random", pairs=1, seed=seed),
            lambda: keiko.train("tictactoe", steps=1, seed=seed),
        ):
            with pytest.raises(OverflowError, match=f"18446744073709551615.*not {seed}"):
                call()
    assert keiko.Position("puyo", seed=np.uint64(2**64 - 1)) == keiko.Position("puyo", seed=2**64 - 1)
    p = keiko.Position("othello")
    for move in (-1, 2**16 + 19, 2**64 + 19):
        with pytest.raises(keiko.Error, match=f"move {move} is not legal"):
            p.play(move)
    p.play(np.int8(19))
    with pytest.raises(TypeError):
        p.mask(np.zeros(65))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "i4", "u4", "i8", "u8", ">i4"])
def test_actions_of_any_integer_type(dtype: str) -> None:
    env = keiko.VectorEnv("othello", 3)
    env.reset()
    env.step(np.array([19, 26, 37], dtype))
    if dtype[-2] != "u":  # -1 is a random move; other negative numbers are mistakes
        with pytest.raises(keiko.Error, match="not legal"):
            env.step(np.array([-1, -1, -5], dtype))
    if dtype[-1] == "8":
        with pytest.raises(keiko.Error, match="not legal"):
            env.step(np.array([-1 if dtype == "i8" else 19, 2**40, 2**40], dtype))


def test_after_fork() -> None:
    env = keiko.VectorEnv("othello", 256, threads=4)
    env.reset(seed=1)
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        env.step(np.full(256, -1))
        env.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0


def test_two_threads_at_one_environment() -> None:
    env = keiko.VectorEnv("othello", 4096, threads=1, final_obs=False)
    env.reset()
    refused, others, any_move = [], [], np.full(4096, -1, np.int32)

    def work() -> None:
        for _ in range(60):
            try:
                env.step(any_move)
            except keiko.Error as e:
                (refused if "in use" in str(e) else others).append(e)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not others


def test_environments_of_several_threads_are_the_same() -> None:
    sums: dict[int, float] = {}

    def work(k: int) -> None:
        env = keiko.VectorEnv("puyo", 64, seed=5, threads=1)
        obs, _ = env.reset()
        for _ in range(100):
            obs = env.step(np.full(64, -1))[0]
        sums[k] = float(obs["observation"].sum()) + float(obs["scalars"].sum())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(sums) == 4 and len(set(sums.values())) == 1


def resident() -> int:
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def test_no_leaks_over_a_million_steps() -> None:
    def some(steps: int) -> None:
        env = keiko.VectorEnv("othello", 1024)
        env.reset()
        for _ in range(steps):
            env.step(np.full(1024, -1))
        for i in range(2000):
            p = keiko.Position("renju", seed=i)
            p.play(int(p.legal()[0]))
            p.planes()
            p.copy()
            env.position(i % 1024)
        for _ in range(50):
            keiko.Agent("othello", "greedy").choose(keiko.Position("othello"))
            keiko.Session("othello").export("sgf")
            keiko.VectorEnv("puyo", 8).reset()

    some(50)
    before = resident()
    some(1000)
    assert resident() - before < 8 << 20
