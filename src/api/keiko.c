// The public C API of libkeiko: a thin, stable face over games/. See include/keiko.h.
#include "keiko.h"

#include "games/game.h"

#include <stdlib.h>
#include <string.h>

const char *keiko_version(void)
{
    return KEIKO_VERSION_TEXT;
}

const char *keiko_build(void)
{
    return KEIKO_BUILD_TEXT;
}
