/*
 * The call sites of programs in Fortran. These call PVM through the functions
 * of libfpvm3.a, pvmfsend_ and so on, which are linked into them: the address
 * that a call of C returns to is in there, and the site is where that function
 * itself returns to. Where the program's own symbols are gone nothing is known
 * of this, and the function of libfpvm3 stays the site.
 */
#ifndef TAPE_PVM_STUBS_H
#define TAPE_PVM_STUBS_H

#include "fortran_site.h"
#include "core.h"

/* Where in the program those functions lie; at first anywhere. */
extern struct tape_pvm_stubs {
	uintptr_t from, bytes;
} tape_pvm_stubs __attribute__((visibility("hidden")));

/*
 * A wrapper with that frame returns to address: the address that its caller
 * returns to if that is one of those functions, else address.
 */
const void *tape_pvm_past_stub(const void *address, const void *frame);

/* What stands for a call's site: an announcement, or an address of return. */
static inline TAPE_ALWAYS const void *
tape_pvm_site(uint32_t call, const void *address, const void *frame)
{
	const void *site = tape_announced_or(call, address);

	return TAPE_LIKELY((uintptr_t)site - tape_pvm_stubs.from >=
			   tape_pvm_stubs.bytes)
		       ? site
		       : tape_pvm_past_stub(site, frame);
}

#endif
