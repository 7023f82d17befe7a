/*
 * pvm_config for the program and for the tracer. The library has one list of
 * hosts, and each call frees the previous list. The program may still use that
 * one: it gets a list of its own, so that the tracer may call at any time.
 */
#ifndef TAPE_PVM_HOSTS_H
#define TAPE_PVM_HOSTS_H

#include "pvm.h"

/* As pvm_config; the list is valid until the program's next call. */
int tape_pvm_copy_hosts(int *nhost, int *narch, struct pvmhostinfo **hostp);

/*
 * Returns the number of hosts of the virtual machine, 0 if it is unknown. If
 * hosts is not NULL, *hosts becomes the library's list, valid until the next
 * call. Prints no error and preserves pvm_errno.
 */
int tape_pvm_get_hosts(struct pvmhostinfo **hosts);

#endif
