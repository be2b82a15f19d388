// ONNX export: a network as an .onnx file (opset 13) that ONNX Runtime and other tools run.
//
// Inputs: "planes" [N, planes+scalars, rows, cols] floats (an mlp: [N, planes*rows*cols + scalars]). One output a head, named
// as in our weights files ("head0.policy"): logits, values after tanh, Q-values. Batch-norm is folded into the convolutions.
#ifndef KEIKO_NN_ONNX_H
#define KEIKO_NN_ONNX_H

#include "nn/net.h"

// Metadata of the file beside "keiko.net" and "keiko.note", the network's own.
typedef struct nn_onnx_meta {
    const char *key, *value;
} nn_onnx_meta;

err nn_onnx_export(const nn_net *net, const char *path, const nn_onnx_meta *more, int n); // atomic; more may be NULL

#endif
