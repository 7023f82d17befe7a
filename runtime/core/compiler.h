/* What is asked of the compiler: likely ways, inlining, visibility, frames. */
#ifndef TAPE_COMPILER_H
#define TAPE_COMPILER_H

#define TAPE_LIKELY(x) __builtin_expect(!!(x), 1)
#define TAPE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define TAPE_ALWAYS __attribute__((always_inline))
#define TAPE_EXPORT __attribute__((visibility("default")))
#define TAPE_APART __attribute__((noinline))
#define TAPE_COLD __attribute__((cold, noinline))

/* Defined where the compiler checks every access (-fsanitize=address). */
#if defined(__SANITIZE_ADDRESS__)
#define TAPE_ADDRESSES_CHECKED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAPE_ADDRESSES_CHECKED 1
#endif
#endif

/*
 * Around functions that run on a separate stack only (own_stack.h). Their
 * frames may be large: the compiler rejects large frames of all other
 * functions.
 */
#define TAPE_ON_OWN_STACK                                                      \
	_Pragma("GCC diagnostic push")                                         \
	    _Pragma("GCC diagnostic ignored \"-Wframe-larger-than=\"")
#define TAPE_ON_OWN_STACK_END _Pragma("GCC diagnostic pop")

#endif
