/*
 * A user's own model: a Lua file with a function
 *
 *	function transit(bytes, load, distance, protocol)
 *
 * that returns nanoseconds; see doc/models.md.
 *
 *	struct own_model *own = own_model_open("cluster.lua");
 *
 *	model.own_transit = own_model_transit;
 *	model.context = own;
 *	...
 *	own_model_close(own);
 */
#ifndef CORRECT_LUA_MODEL_H
#define CORRECT_LUA_MODEL_H

#include "comm.h"

struct own_model;

/* Dies with one sentence if the file cannot be run or has no such function. */
struct own_model *own_model_open(const char *path);

/*
 * What the function returns. Dies with one sentence if it fails, or returns
 * something else than a number of 0 to 1e15. Not for several threads at once.
 */
double own_model_transit(void *own, const struct tape_parcel *p);

/* NULL is none. */
void own_model_close(struct own_model *own);

#endif
