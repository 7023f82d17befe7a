/*
 * The wrappers of all calls of PVM: generated code around the hooks, under the
 * names of the library's functions, or for a static link as --wrap wants them,
 * and as tape_NAME for sources that tapepp rerouted.
 */
#include "pvm_hooks.h"
#include "pvm_rare.h"
#include "pvm_special.h"

struct tape_pvm_packed tape_pvm_packed;
struct tape_pvm_within tape_pvm_within;

#include "site.h"
#include "tape_prototypes_pvm.h"
#include "tape_wrap_pvm.h"

PACK_BY_FORMAT(pvm_packf, pvm_vpackf)
PACK_BY_FORMAT(pvm_unpackf, pvm_vunpackf)

/* Programs in Fortran, which come here through libfpvm3.a. */
TAPE_ANNOUNCE(tape_pvm_at)
