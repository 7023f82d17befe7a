/* The wrappers of rare calls; see wrap.c. */
#define TAPE_WRAPS_FREQUENT 0
#define TAPE_WRAPS_RARE 1
#include "hooks_all.h"
#include "onesided.h"
#include "tape.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "tape_wrap.h"
#pragma GCC diagnostic pop
