/* See run_output.h. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "hash_bits.h"
#include "run_output.h"
#include "tool.h"

__attribute__((noreturn)) static void fail_to_keep(void)
{
	tape_die(TAPE_FAILED, "cannot keep the output of the command: %s",
		 strerror(errno));
}

void output_begin_run(struct run_outputs *o)
{
	fflush(stdout);
	o->current = tmpfile();
	o->standard = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (!o->current || o->standard < 0 ||
	    fcntl(fileno(o->current), F_SETFD, FD_CLOEXEC) < 0 ||
	    dup2(fileno(o->current), STDOUT_FILENO) < 0)
		fail_to_keep();
}

/* Returns the number of the first line in which the files differ, or 0. */
static uint64_t compare_files(FILE *a, FILE *b, uint64_t *hash)
{
	uint64_t line = 1, differs = 0;
	int x, y;

	*hash = TAPE_HASH_START;
	rewind(a);
	rewind(b);
	do {
		unsigned char byte;

		y = getc(b);
		x = a == b ? y : getc(a);
		byte = (unsigned char)y;
		if (y != EOF)
			*hash = tape_hash_bytes(*hash, &byte, 1);
		if (x != y && !differs)
			differs = line;
		line += y == '\n';
	} while (y != EOF);
	if (ferror(a) || ferror(b))
		fail_to_keep();
	return differs;
}

uint64_t output_end_run(struct run_outputs *o, uint64_t *hash)
{
	uint64_t line;

	if (dup2(o->standard, STDOUT_FILENO) < 0)
		fail_to_keep();
	close(o->standard);
	if (!o->first)
		o->first = o->current;
	line = compare_files(o->first, o->current, hash);
	if (o->first != o->current)
		fclose(o->current);
	return line;
}
