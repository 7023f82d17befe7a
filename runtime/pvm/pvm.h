/*
 * PVM as the runtime calls it: TAPE_REAL(pvm_send)(...) is the library's own,
 * never a wrapper; and what the library keeps in variables, so that it need
 * not be asked.
 */
#ifndef TAPE_PVM_H
#define TAPE_PVM_H

#include <stdarg.h>
#include <stdio.h>

#include <pvm3.h>

typedef int (*tape_pvm_match)(int, int, int);
/* what the header says that pvm_recvf returns */
typedef int (*tape_pvm_matched)(tape_pvm_match);

/* Exported without being in the header, or in pvmtev.h only. */
int pvm_gettmask(int who, char *mask);
int pvm_settmask(int who, char *mask);
int pvm_vpackf(const char *format, va_list ap);
int pvm_vunpackf(const char *format, va_list ap);
int pvm_grphostinfo(char *name, int host, int *coord, int *here, int *hosts);
int pvm_grpvhostinfo(char *name, int **coords, int **here, int *hosts);
extern int pvmmytid, pvmmyptid; /* this task and its parent; <= 0: none */
extern int pvmmyctx;
extern int pvm_errno;
extern int gstid; /* the group server, as the library knows it */

/* The library's: lpvmerr raises an error as PvmAutoErr says. */
extern int pvmautoerr;

#include "tape_real_pvm.h"

/* Sizes of a call's PVM_STR, PVM_BYTE, ...; 0 for none of them. */
static inline unsigned tape_pvm_size(int type)
{
	static const unsigned char bytes[] = {
		[PVM_STR] = 1, [PVM_BYTE] = 1, [PVM_SHORT] = sizeof(short),
		[PVM_INT] = sizeof(int), [PVM_FLOAT] = sizeof(float),
		[PVM_CPLX] = 2 * sizeof(float), [PVM_DOUBLE] = sizeof(double),
		[PVM_DCPLX] = 2 * sizeof(double), [PVM_LONG] = sizeof(long),
		[PVM_USHORT] = sizeof(short), [PVM_UINT] = sizeof(int),
		[PVM_ULONG] = sizeof(long)
	};

	return (unsigned)type < sizeof bytes ? bytes[type] : 0;
}

#endif
