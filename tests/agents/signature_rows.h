// Rows of test_signature.c: name, game, position, agent, plies, shares, signature.
// clang-format off
#define SOLVE "alphabeta:depth=1,exact=14,hash=16"
{"Othello solver, 14 empties", "othello", "-XXXXX-OOXXXXXO-OOOOXOO-OXXOOX--OXXXXXX-OXOXX---OXXXOOO-OXXOO--- X", SOLVE, 1, false, "h4 36276"},
{"Othello solver, 14 empties", "othello", "OOOOOOX-XXXOXOX-OXOOOOO-OXOOOOXXOXOOXXXX-XOOOO-O-OOOOO--O-O----- X", SOLVE, 1, false, "h3 102836"},
{"Othello solver, 12 empties", "othello", "X-OOO---XXXXOO-XOXXXOXOX--XXXOXXO-OXXOXX-OOOOOXO-OOOOXXO--OOXXXX X", SOLVE, 1, false, "a4 42565"},
{"Othello alphabeta", "othello", "---OOX----OOOX----OOOXX---OOXX----OOXOO-----XXO----------------- X", "alphabeta:depth=8,exact=0,hash=16", 2, false, "g4 1036 g1 895"},
{"renju alphabeta", "renju", "15/15/15/15/15/15/15/4O1OX7/4OX9/5XX8/4OO1X7/15/15/15/15 b e8", "alphabeta:depth=5,nodes=0,vcf=0,vct=0", 1, false, "e6 621"},
{"renju alphabeta with threats", "renju", "15/15/15/15/15/15/15/4O1OX7/4OX9/5XX8/4OO1X7/15/15/15/15 b e8", "alphabeta:depth=3,nodes=0", 1, false, "e6 3405"},
{"renju, a win by fours", "renju", "15/15/15/15/15/15/15/4O1OX7/4OX3O5/3OXXXOX6/4OOXX7/4OXX1X6/6O2O5/15/15 b g3", "alphabeta:depth=1,vct=0", 1, false, "h4 7"},
{"freestyle alphabeta", "freestyle", "15/15/15/15/15/15/6X1X6/6OXO6/6OOX6/8XO5/15/15/15/15/15 b j6", "alphabeta:depth=5,nodes=0,vcf=0,vct=0", 1, false, "j8 1591"},
{"contrast alphabeta", "contrast", "2..2./..2.2/.2.1./.1.1./.1..1 a4b,c4g,a3b,e3b,a2b,c2g,b1b 0b0g/1b0g 1 12", "alphabeta:depth=5", 2, false, "d2,d4 3096 a5,b5 1960"},
{"Puyo beam", "puyo-solo", "", "beam:width=20,samples=2,depth=8", 6, false, "1d 6122 2d 5984 3d 5970 2l 5997 2l 5827 3u 5475"},
{"Puyo versus", "puyo", "", "versus", 2, false, "1u 63500 2u 63001"},
{"mcts, random games", "othello", "", "mcts:sims=200", 1, true, "f5 112 d3 45 e6 27"},
{"mcts, random games, hidden pairs", "puyo", "", "mcts:sims=60", 1, true, "2u 18 2l 14 1u 4"},
    // clang-format on
