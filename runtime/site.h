/* stand-in */
#ifndef TAPE_SITE_H
#define TAPE_SITE_H
struct tape_site { unsigned short call; unsigned short flags; unsigned id; int line; const char *file; const char *function; };
#endif
