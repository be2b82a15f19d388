// The games keiko knows, in the order people see them: one line a game, used wherever a list must agree.
GAME(game_othello)
GAME(game_contrast)
GAME(game_tictactoe)
GAME(game_puyo)
GAME(game_puyo_solo)
