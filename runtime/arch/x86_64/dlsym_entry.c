/*
 * The dlsym of x86-64 (dlsym.c): look-ups with a handle go to tape_dlsym, those
 * with RTLD_NEXT or RTLD_DEFAULT to the C library, with the caller's return
 * address.
 */
#include "arch.h"

#ifdef TAPE_MACHINE_X86_64
/* RTLD_NEXT is -1 and RTLD_DEFAULT 0: one more is at most 1. */
__asm__(".text\n"
	".globl dlsym\n"
	".type dlsym, @function\n"
	"dlsym:\n"
	"	.cfi_startproc\n"
	"	leaq 1(%rdi), %rax\n"
	"	cmpq $1, %rax\n"
	"	ja tape_dlsym\n"
	"	subq $24, %rsp\n"
	"	.cfi_adjust_cfa_offset 24\n"
	"	movq %rdi, (%rsp)\n"
	"	movq %rsi, 8(%rsp)\n"
	"	call tape_real_dlsym\n"
	"	movq (%rsp), %rdi\n"
	"	movq 8(%rsp), %rsi\n"
	"	addq $24, %rsp\n"
	"	.cfi_adjust_cfa_offset -24\n"
	"	jmp *%rax\n"
	"	.cfi_endproc\n"
	".hidden tape_dlsym, tape_real_dlsym\n"
	".size dlsym, .-dlsym\n");
#endif
