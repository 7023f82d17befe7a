/*
 * For the programs of sites.sh: a call that first says where it stands, as
 * "CALL FILE:LINE FUNCTION", so that the program itself is the truth. All of
 * it must be on one line.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
#define HERE(function, call, args)                                            \
	(say(#call, __FILE__, __LINE__, function), call args)
#else
#define HERE(call, args)                                                      \
	(say(#call, __FILE__, __LINE__, __func__), call args)
#endif

static int quiet __attribute__((unused));

static inline __attribute__((unused)) void
say(const char *call, const char *file, int line, const char *function)
{
	const char *slash = strrchr(file, '/');

	if (!quiet)
		printf("%s %s:%d %s\n", call, slash ? slash + 1 : file, line,
		       function);
}
