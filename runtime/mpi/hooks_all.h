/* The hooks of all classes; see hooks.h. */
#ifndef TAPE_HOOKS_ALL_H
#define TAPE_HOOKS_ALL_H

#include "hooks.h"
#include "hooks_coll.h"
#include "hooks_comm.h"
#include "hooks_requests.h"
#include "untraced_requests.h"
#include "receives.h"

#endif
