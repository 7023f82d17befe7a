/*
 * The hosts of PVM's machine as a task found them when it began, also those of
 * which no task is in the trace.
 */
#ifndef TAPE_VM_HOST_H
#define TAPE_VM_HOST_H

struct tape_vm_host {
	int tid; /* its bits say which host; those of its tasks have the same */
	const char *name;
};

#define TAPE_VM_HOST_BITS 0x3ffc0000

#endif
