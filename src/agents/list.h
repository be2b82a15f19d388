// The kinds of players, in the order people see them: one line a kind.
AGENT(agent_random)
AGENT(agent_greedy)
AGENT(agent_contrast_rule)
AGENT(agent_othello_alphabeta)
AGENT(agent_contrast_alphabeta)
AGENT(agent_mcts)
AGENT(agent_engine)
AGENT(agent_human)
