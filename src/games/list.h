// The games keiko knows, in the order people see them: one line a game, used wherever a list must agree.
GAME(game_tictactoe)
GAME(game_renju)
GAME(game_gomoku)
GAME(game_freestyle)
GAME(game_freestyle20)
