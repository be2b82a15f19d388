// What the files of the advisor service share. Only app/advise*.c include this.
#ifndef KEIKO_APP_ADVISE_INNER_H
#define KEIKO_APP_ADVISE_INNER_H

const char *advise_colour(int code); // "red"

#endif
