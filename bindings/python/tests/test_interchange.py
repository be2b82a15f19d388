"""Files that other programs read and write: ONNX with metadata, PyTorch checkpoints."""

import json
import os
import pickle
import struct
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import numpy as np
import pytest

import keiko

top = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(top / "tools"))
program = os.environ.get("KEIKO_PROGRAM", str(top / "build" / "keiko"))
pytestmark = pytest.mark.skipif(not Path(program).exists(), reason="the program is not built")


def keiko_run(*args: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *map(str, args)], capture_output=True, text=True)


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    raw = path.read_bytes()
    (n,) = struct.unpack("<Q", raw[:8])
    head = json.loads(raw[8 : 8 + n])
    data = raw[8 + n :]
    found = {}
    for name, t in head.items():
        if name != "__metadata__":
            a, b = t["data_offsets"]
            found[name] = np.frombuffer(data[a:b], "<f4").reshape(t["shape"])
    return found


class Storage:
    """Stands for torch.FloatStorage while a checkpoint is written."""


def write_pth(path: Path, tensors: dict[str, np.ndarray], top: dict | None = None) -> None:
    """What torch.save(state_dict) writes, without torch."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")

    def _rebuild_tensor_v2(*_: object) -> None:
        raise NotImplementedError

    class FloatStorage:
        pass

    FloatStorage.__module__, FloatStorage.__qualname__ = "torch", "FloatStorage"
    _rebuild_tensor_v2.__module__, _rebuild_tensor_v2.__qualname__ = "torch._utils", "_rebuild_tensor_v2"
    torch.FloatStorage, utils._rebuild_tensor_v2, torch._utils = FloatStorage, _rebuild_tensor_v2, utils  # type: ignore[attr-defined]
    blobs: list[bytes] = []

    class Stored:
        def __init__(self, t: np.ndarray) -> None:
            self.t = np.ascontiguousarray(t, "<f4")

        def __reduce__(self):  # type: ignore[no-untyped-def]
            strides = tuple(s // 4 for s in self.t.strides)
            return _rebuild_tensor_v2, (Blob(self.t), 0, self.t.shape, strides, False, {})

    class Blob:
        def __init__(self, t: np.ndarray) -> None:
            self.t = t

    class Writer(pickle.Pickler):
        def persistent_id(self, obj):  # type: ignore[no-untyped-def]
            if not isinstance(obj, Blob):
                return None
            blobs.append(obj.t.tobytes())
            return ("storage", FloatStorage, str(len(blobs) - 1), "cpu", obj.t.size)

    before = {k: sys.modules.get(k) for k in ("torch", "torch._utils")}
    sys.modules.update({"torch": torch, "torch._utils": utils})
    try:
        import io

        out = io.BytesIO()
        state = {k: Stored(v) for k, v in tensors.items()}
        Writer(out, 2).dump(state if top is None else {**top, "model_state_dict": state})
    finally:
        for k, v in before.items():
            sys.modules.pop(k) if v is None else sys.modules.__setitem__(k, v)
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("archive/data.pkl", out.getvalue())
        for i, b in enumerate(blobs):
            z.writestr(f"archive/data/{i}", b)


NETS = {
    "othello": "planes=3 size=8x8 c=16 b=2 policy=2:65 value=1:32",
    "contrast": "planes=32 scalars=34 size=5x5 c=16 b=2 policy=8:625 policy=4:51 value=4:16",
    "contrast-90": "planes=56 scalars=34 size=5x5 c=16 b=2 policy=8:625 policy=4:51 value=4:16",
}


@pytest.mark.parametrize("name", NETS)
@pytest.mark.parametrize("bias", [False, True])
def test_pth_is_converted(tmp_path: Path, name: str, bias: bool) -> None:
    game, rng = name.split("-")[0], np.random.default_rng(1)
    ours = tmp_path / "ours.safetensors"
    assert keiko_run("nn", "init", NETS[name], "--output", ours).returncode == 0
    # The same network under other names, its convolutions with or without biases.
    theirs: dict[str, np.ndarray] = {}
    known = read_safetensors(ours)
    for k, v in known.items():
        prefix, last = k.rsplit(".", 1)
        other = "net." + prefix.replace("stem", "conv_block").replace("block", "res_blocks.").replace("head", "heads.")
        if last in ("weight", "running_mean") and "bn" in prefix:
            v = v + rng.normal(0, 0.1, v.shape).astype(np.float32)
        theirs[f"{other}.{last}"] = v
        if bias and last == "weight" and v.ndim == 4:
            theirs[f"{other}.bias"] = np.zeros(v.shape[0], np.float32) + 0.25
    write_pth(tmp_path / "x.pth", theirs, {"epoch": 3} if bias else None)
    said = keiko_run("nn", "info", tmp_path / "x.pth")
    assert said.returncode != 0 and "import_pth.py" in said.stderr
    out = tmp_path / "out.safetensors"
    done = subprocess.run([sys.executable, top / "tools" / "import_pth.py", tmp_path / "x.pth", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    got = read_safetensors(out)
    assert got.keys() == known.keys()
    assert np.array_equal(got["block1.conv2.weight"], known["block1.conv2.weight"])
    values, policy = keiko.Evaluator(game, str(out))([keiko.Position(game)])
    assert abs(policy.sum() - 1) < 1e-4 and -1 <= values[0] <= 1
    if name == "contrast-90":
        assert "c90-original" in keiko_run("nn", "info", out).stdout


def test_a_pth_that_runs_code_is_refused(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self):  # type: ignore[no-untyped-def]
            return os.system, ("true",)

    with zipfile.ZipFile(tmp_path / "evil.pth", "w") as z:
        z.writestr("archive/data.pkl", pickle.dumps({"a": Evil()}))
    done = subprocess.run(
        [sys.executable, top / "tools" / "import_pth.py", tmp_path / "evil.pth", tmp_path / "o"], capture_output=True, text=True
    )
    assert done.returncode != 0 and "wants to run" in done.stderr


@pytest.mark.parametrize("game", ["othello", "contrast"])
def test_onnx_metadata(tmp_path: Path, game: str) -> None:
    onnx = pytest.importorskip("onnx", reason="python3-onnx is not installed")
    path = tmp_path / "net.onnx"
    done = keiko_run("export", game, "--onnx", path)
    assert done.returncode == 0, done.stderr
    model = onnx.load(str(path))
    onnx.checker.check_model(model, full_check=True)
    meta = {p.key: p.value for p in model.metadata_props}
    g = keiko.Game.find(game)
    shape = g.shape(meta["keiko.encoding"])
    assert meta["keiko.game"] == game and meta["keiko.board"] == f"{shape.rows}x{shape.cols}"
    assert meta["keiko.planes"].splitlines() == list(shape.names)
    assert int(meta["keiko.moves"]) == g.moves
    assert model.graph.input[0].type.tensor_type.shape.dim[1].dim_value == len(shape.names)
    if game == "othello":
        names = meta["keiko.move-names"].splitlines()
        assert len(names) == 65 and names[19] == "d3" and names[64] == "pass"


@pytest.mark.parametrize("game", ["othello", "contrast"])
def test_pytorch_gives_the_same(game: str) -> None:
    done = subprocess.run([sys.executable, top / "bindings/python/examples/torch_parity.py", game], capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "largest difference" in done.stdout
