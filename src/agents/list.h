// The kinds of players, in the order people see them: one line per kind.
AGENT(agent_random)
AGENT(agent_greedy)
AGENT(agent_contrast_rule)
AGENT(agent_othello_alphabeta)
AGENT(agent_contrast_alphabeta)
AGENT(agent_renju_alphabeta)
AGENT(agent_mcts)
AGENT(agent_zero)
AGENT(agent_puyo_advisor)
AGENT(agent_beam)
AGENT(agent_versus)
AGENT(agent_puyo_dqn)
#ifndef KEIKO_WASM // a browser starts no programs, and the page leaves out what would make it larger without need
AGENT(agent_puyo_afterstate)
AGENT(agent_engine)
#endif
AGENT(agent_human)
