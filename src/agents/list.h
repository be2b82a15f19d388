// The kinds of players, in the order people see them: one line a kind.
AGENT(agent_random)
AGENT(agent_greedy)
AGENT(agent_beam)
AGENT(agent_versus)
AGENT(agent_engine)
AGENT(agent_human)
