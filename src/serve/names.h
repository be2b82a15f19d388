// What a request may name: runs, benches, networks, agents. Whatever is not allowed here never reaches the file system.
#ifndef KEIKO_SERVE_NAMES_H
#define KEIKO_SERVE_NAMES_H

#include "games/game.h"

enum { NAMES_MOST = 64 };

bool names_plain(
    const char *name); // letters, digits, '.', '-', '_'; not too long; neither '.' nor '-' at the beginning
// A folder of a run or bench: `kind` "runs" or "benches". ERR_USAGE where the name is none.
enum { NAMES_PATH = NAMES_MOST + 16 };
err names_folder(char path[NAMES_PATH], const char *kind, const char *name);

// A network: the name of one that ships, or runs/NAME/FILE, runs/NAME/checkpoints/POINT/FILE.
err names_network(const char *text);
// An agent or level: all but those that start programs, and parameters that name files only as above. An unknown agent is
// fine: whoever opens it will say so.
err names_agent(const game *g, const char *spec);
// A list of agents, separated by ';'.
err names_agents(const game *g, const char *list);
// The same with shares, as `keiko train puyo` reads them: "60 self;20 greedy".
err names_shares(const game *g, const char *list);
// Who teaches: an agent as above, or a network as above.
err names_teacher(const game *g, const char *who);

#endif
