// Runs an .onnx file in ONNX Runtime (npm's onnxruntime-web): reads {"file", "input", "dims", "names"} as JSON from standard
// input, writes {"version", "outputs": [[...], ...]}. Used by nn_onnx_check.py; NODE_PATH says where the package lies.
const ort = require("onnxruntime-web");
const fs = require("fs");

async function main() {
  const ask = JSON.parse(fs.readFileSync(0, "utf8"));
  const session = await ort.InferenceSession.create(fs.readFileSync(ask.file), { executionProviders: ["wasm"] });
  const got = await session.run({ planes: new ort.Tensor("float32", Float32Array.from(ask.input), ask.dims) });
  const outputs = ask.names.map((name) => Array.from(got[name].data));
  process.stdout.write(JSON.stringify({ version: ort.env.versions.common, outputs }));
}

main().then(() => process.exit(0));
