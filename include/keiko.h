// keiko: the public C API.
#ifndef KEIKO_H
#define KEIKO_H

#ifdef __cplusplus
extern "C" {
#endif

const char *keiko_version(void); // "0.1.0"
const char *keiko_build(void);   // the commit it was built from

#ifdef __cplusplus
}
#endif

#endif
