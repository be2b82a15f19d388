// Is a text well-formed enough for a browser and an XML reader: tags that close in order, attributes in quotes, known
// entities, no stray '<' or '&'? HTML's void elements may stand alone.
#ifndef KEIKO_TESTS_XML_CHECK_H
#define KEIKO_TESTS_XML_CHECK_H

#include "base/text.h"

#include <stdbool.h>
#include <string.h>

// NULL when it is; otherwise where it stops to be.
static inline const char *xml_fault(const char *s)
{
    char open[64][16];
    int depth = 0;
    if (!text_utf8_ok(s, strlen(s))) return "malformed UTF-8";
    while (*s) {
        if (*s == '&') {
            static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
            size_t k = 0;
            while (k < 5 && strncmp(s, known[k], strlen(known[k])) != 0) k++;
            if (k == 5) return s;
            s += strlen(known[k]);
            continue;
        }
        if (*s != '<') {
            if ((unsigned char)*s < 0x20 && *s != '\n') return s;
            s++;
            continue;
        }
        const char *tag = s++;
        if (*s == '!') { // doctype
            s += strcspn(s, ">");
            continue;
        }
        bool close = *s == '/', empty = false;
        if (close) s++;
        size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789");
        if (n == 0 || n > 15) return tag;
        char name[16];
        memcpy(name, s, n);
        name[n] = 0;
        s += n;
        while (*s == ' ') { // name="value"
            s++;
            size_t k = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-");
            if (k == 0 || s[k] != '=' || s[k + 1] != '"') return tag;
            s += k + 2;
            while (*s && *s != '"' && *s != '<') s++;
            if (*s++ != '"') return tag;
        }
        if (*s == '/') {
            empty = true;
            s++;
        }
        if (*s++ != '>') return tag;
        if (strcmp(name, "meta") == 0 || empty) continue;
        if (!close) {
            if (depth == 64) return tag;
            strcpy(open[depth++], name);
            if (strcmp(name, "script") == 0 || strcmp(name, "style") == 0) { // their text is not markup
                s = strstr(s, "</");
                if (s == NULL) return tag;
            }
        } else if (depth == 0 || strcmp(open[--depth], name) != 0) {
            return tag;
        }
    }
    return depth == 0 ? NULL : "an element is not closed";
}

#endif
