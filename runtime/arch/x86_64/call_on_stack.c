/* Calls a function on another stack, on x86-64; see arch.h. */
#include "arch.h"

#ifdef TAPE_MACHINE_X86_64
__asm__(".text\n"
	".hidden tape_call_on\n"
	".globl tape_call_on\n"
	".type tape_call_on, @function\n"
	"tape_call_on:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	movq %rdi, %rsp\n"
	"	movq %rdx, %rdi\n"
	"	call *%rsi\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size tape_call_on, .-tape_call_on\n");
#endif
