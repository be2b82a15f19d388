// The models that ship: name, file, game, agent that plays with it, CRC-32C of the file, how it was made.
// A test compares each checksum with the file in models/ and prints the new one where it differs.
// clang-format off
MODEL("othello", "othello.safetensors", "othello", "zero", 0x3e196c55, "AlphaZero self-play, 18 minutes on one H200 (docs/lab/TRAINING.md)")
MODEL("othello-small", "othello-small.safetensors", "othello", "zero", 0xb9afe273, "learned from othello's search, then from alphabeta, 9 minutes on one H200 (docs/lab/distilled.md)")
MODEL("othello-patterns", "othello-patterns.bin", "othello", "alphabeta", 0x26b39200, "keiko tune othello-patterns (docs/lab/OTHELLO.md)")
MODEL("contrast", "contrast.safetensors", "contrast", "zero", 0x59f472c5, "learned from a larger network, 9 minutes on one H200 (docs/lab/distilled.md)")
MODEL("renju", "renju.safetensors", "renju", "zero", 0x5ed892a1, "AlphaZero self-play with proofs of threats, 27 minutes on one H200 (docs/lab/renju-network.md)")
MODEL("gomoku", "gomoku.safetensors", "gomoku", "zero", 0x790c6058, "learned from alphabeta, then AlphaZero self-play, 9 minutes on one H200 (docs/lab/renju-network.md)")
MODEL("freestyle", "freestyle.safetensors", "freestyle", "zero", 0x18035eb5, "AlphaZero self-play from gomoku's network, 4 minutes on one H200 (docs/lab/renju-network.md)")
MODEL("puyo-dqn", "puyo-dqn.safetensors", "puyo", "dqn", 0x7a4e7be6, "DQN self-play, looks two placements ahead (docs/lab/DQN.md)")
MODEL("puyo-dqn-alone", "puyo-dqn-alone.safetensors", "puyo", "dqn", 0x8821450b, "DQN self-play, for play without look-ahead (docs/lab/DQN.md)")
MODEL("puyo-afterstate", "puyo-afterstate.safetensors", "puyo", "afterstate", 0xcc11d12f, "learned from beam and versus, also in its own games, 9 minutes on one H200 (docs/lab/puyo-afterstate.md)")
// clang-format on
