/*
 * The wrapper of a call that is local and rare: the real call stands between
 * two functions that all of them share,
 *
 *	tape_pvm_rare_begin(&c, CALL, source, address, frame);
 *	value = TAPE_REAL(pvm_...)(...);
 *	tape_pvm_rare_end(&c);
 *
 * whether it is recorded or not.
 */
#ifndef TAPE_PVM_RARE_H
#define TAPE_PVM_RARE_H

#include "core.h"

struct tape_pvm_rare {
	struct tape_flow *flow;
	uint32_t call, site;
	enum {
		TAPE_PVM_UNSEEN,  /* nothing is recorded */
		TAPE_PVM_UNASKED, /* this call is not recorded, others are */
		TAPE_PVM_SEEN
	} how;
	uint64_t entry, start;
	const void *frame;
};

/*
 * source is the call site that tapepp made or NULL, address then the return
 * address; frame is that of the wrapper.
 */
void tape_pvm_rare_begin(struct tape_pvm_rare *c, uint32_t call,
			 struct tape_site *source, const void *address,
			 const void *frame);
void tape_pvm_rare_end(struct tape_pvm_rare *c);

#endif
