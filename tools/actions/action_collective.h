/* What the models of collectives call those of actions. */
#ifndef TAPE_ACTION_COLLECTIVE_H
#define TAPE_ACTION_COLLECTIVE_H

#include "action.h"
#include "coll.h"

/* By enum tape_action_op; a v variant is the one with equal parts. */
extern const enum tape_coll_op tape_action_collective[TAPE_DO_OPS];

#endif
