/* Maps the collectives of actions to those of the models. */
#ifndef TAPE_ACTION_COLLECTIVE_H
#define TAPE_ACTION_COLLECTIVE_H

#include "action.h"
#include "coll.h"

/*
 * By enum tape_action_op. A v variant maps to the collective with equal parts.
 */
extern const enum tape_coll_op tape_action_collective[TAPE_DO_OPS];

#endif
