/*
 * pvm_config, for the program and for the tracer. The library keeps one list of
 * hosts, and each call frees the one before. The program may still hold that:
 * it gets a list of its own, and the tracer asks whenever it wants to know.
 */
#ifndef TAPE_PVM_HOSTS_H
#define TAPE_PVM_HOSTS_H

#include "pvm.h"

/* As pvm_config; the list is valid until the program's next call. */
int tape_give_hosts(int *nhost, int *narch, struct pvmhostinfo **hostp);

/*
 * The hosts of the virtual machine: their number, 0 if that is not known, and
 * if hosts is not NULL the library's list, valid until the next call. Says
 * nothing of an error, and leaves pvm_errno.
 */
int tape_ask_hosts(struct pvmhostinfo **hosts);

#endif
