#!/usr/bin/python3
"""Does an exported .onnx file compute what PyTorch computes from the same weights?

    tools/nn_onnx_check.py NET.safetensors NET.onnx

Checks the file with onnx.checker (python3-onnx), then runs it: with ONNX Runtime where that is installed, otherwise by
interpreting its nodes with PyTorch operations.
"""
import sys

import onnx
import onnx.numpy_helper
import torch
import torch.nn.functional as F

import nn_net

OPS = {
    "Conv": lambda a, x, w, b: F.conv2d(x, w, b, padding=a["pads"][0]),
    "Gemm": lambda a, x, w, b: x @ w.t() + b,
    "Relu": lambda a, x: F.relu(x),
    "Tanh": lambda a, x: torch.tanh(x),
    "Sigmoid": lambda a, x: torch.sigmoid(x),
    "Add": lambda a, x, y: x + y,
    "Sub": lambda a, x, y: x - y,
    "Mul": lambda a, x, y: x * y,
    "Flatten": lambda a, x: x.flatten(a["axis"]),
    "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
    "Reshape": lambda a, x, s: x.reshape([x.shape[i] if v == 0 else int(v) for i, v in enumerate(s)]),
    "Slice": lambda a, x, b, e, axes: x.narrow(int(axes[0]), int(b[0]), int(e[0] - b[0])),
    "ReduceMean": lambda a, x: x.mean(a["axes"], keepdim=True),
}


def interpret(model, x):
    values = {t.name: torch.from_numpy(onnx.numpy_helper.to_array(t).copy()) for t in model.graph.initializer}
    values["planes"] = x
    for node in model.graph.node:
        attrs = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        values[node.output[0]] = OPS[node.op_type](attrs, *[values[i] for i in node.input])
    return [values[o.name] for o in model.graph.output]


def main():
    weights, path = sys.argv[1:3]
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    net = nn_net.load(weights).eval()
    d = net.d
    inputs = d["planes"] + d["scalars"]
    torch.manual_seed(1)
    x = torch.rand(5, d["planes"] * d["rows"] * d["cols"] + d["scalars"]) if d["mlp"] else torch.rand(5, inputs, d["rows"], d["cols"])
    with torch.no_grad():
        want = net(x)
        try:
            import onnxruntime
            got = [torch.from_numpy(y) for y in onnxruntime.InferenceSession(path).run(None, {"planes": x.numpy()})]
            how = "ONNX Runtime " + onnxruntime.__version__
        except ImportError:
            got, how = interpret(model, x), "interpreted"
    worst = max(float((a - b).abs().max()) for a, b in zip(want, got))
    print(f"{path}: valid, {len(model.graph.node)} nodes, {how}, outputs differ by at most {worst:.1e}")
    sys.exit(worst > 1e-4)


if __name__ == "__main__":
    main()
