#!/usr/bin/python3
"""Does an exported .onnx file compute, in other people's software, what PyTorch computes from the same weights?

    tools/nn_onnx_check.py NET.safetensors NET.onnx [NET.safetensors NET.onnx ...]

Runs the file in every reader this machine has: ONNX Runtime (onnxruntime), OpenCV's dnn module (python3-opencv), and, when
python3-onnx is there, onnx.checker and then its nodes one by one with PyTorch operations. A reader that is missing is named
and left out. Needs python3-torch; that our own code computes the same as PyTorch is what nn_parity.py shows.
Status: 0 all agree, 1 some differ, 77 nothing could be compared.
"""
import sys

MOST = 1e-4  # largest difference of any output
SKIPPED = 77

try:
    import torch
    import torch.nn.functional as F

    import nn_net
except ImportError as e:
    print(f"skipped: {e} (python3-torch)")
    sys.exit(SKIPPED)

OPS = {
    "Conv": lambda a, x, w, b: F.conv2d(x, w, b, padding=a["pads"][0]),
    "Gemm": lambda a, x, w, b: x @ w.t() + b,
    "Relu": lambda a, x: F.relu(x),
    "Tanh": lambda a, x: torch.tanh(x),
    "Sigmoid": lambda a, x: torch.sigmoid(x),
    "Add": lambda a, x, y: x + y,
    "Mul": lambda a, x, y: x * y,
    "Flatten": lambda a, x: x.flatten(a["axis"]),
    "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
}


def onnx_runtime(path, net, names, x):
    import onnxruntime

    out = onnxruntime.InferenceSession(path).run(names, {"planes": x.numpy()})
    return "ONNX Runtime " + onnxruntime.__version__, [torch.from_numpy(y) for y in out]


def opencv(path, net, names, x):
    import cv2

    def run(rows):
        reader.setInput(rows.numpy())
        return [torch.from_numpy(y.copy()) for y in reader.forward(names)]

    reader = cv2.dnn.readNetFromONNX(path)
    if net.d["se"] == 0:
        return "OpenCV " + cv2.__version__, run(x)
    # its importer lays the gates out for one position, so a batch is refused
    rows = [run(x[i : i + 1]) for i in range(len(x))]
    return "OpenCV " + cv2.__version__ + ", row by row", [torch.cat(head) for head in zip(*rows)]


def node_by_node(path, net, names, x):
    import onnx
    import onnx.numpy_helper

    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    values = {t.name: torch.from_numpy(onnx.numpy_helper.to_array(t).copy()) for t in model.graph.initializer}
    values["planes"] = x
    for node in model.graph.node:
        attrs = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        values[node.output[0]] = OPS[node.op_type](attrs, *[values[i] for i in node.input])
    return f"onnx.checker {onnx.__version__}, {len(model.graph.node)} nodes by hand", [values[n] for n in names]


def check(weights, path):
    net = nn_net.load(weights).eval()
    d = net.d
    names = [f"head{i}.{h[0]}" for i, h in enumerate(d["heads"])]
    torch.manual_seed(1)
    size = [d["planes"] * d["rows"] * d["cols"] + d["scalars"]] if d["mlp"] else [d["planes"] + d["scalars"], d["rows"], d["cols"]]
    x = torch.rand(5, *size)
    done, good = 0, True
    with torch.no_grad():
        want = net(x)
        for reader in (onnx_runtime, opencv, node_by_node):
            try:
                how, got = reader(path, net, names, x)
            except ImportError as e:
                print(f"{path}: {reader.__name__} left out: {e}")
                continue
            worst = max(float((a - b.reshape(a.shape)).abs().max()) for a, b in zip(want, got))
            print(f"{path}: {how}: outputs differ by at most {worst:.1e}")
            done, good = done + 1, good and worst <= MOST
    return done, good


def main():
    files = sys.argv[1:]
    if len(files) < 2 or len(files) % 2:
        sys.exit(__doc__)
    results = [check(w, o) for w, o in zip(files[::2], files[1::2])]
    sys.exit(1 if not all(good for _, good in results) else 0 if all(done for done, _ in results) else SKIPPED)


if __name__ == "__main__":
    main()
