/* What is common to sources of actions; see action.h, action_source.h. */
#include <stdarg.h>
#include <stdio.h>

#include "escape.h"
#include "action_source.h"

int tape_actions_fail(struct tape_actions *s, int code, const char *format, ...)
{
	char text[sizeof s->error];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	tape_clean(text, s->error, sizeof s->error);
	return code;
}

int tape_actions_full(struct tape_actions *s)
{
	return tape_actions_fail(s, TAPE_ENOMEM, "out of memory");
}

int tape_actions_next(struct tape_actions *s, int rank,
		      const struct tape_action **a)
{
	if (rank < 0 || (size_t)rank >= s->ranks)
		return tape_actions_fail(
		    s, TAPE_ERANGE, "rank %d: there is no such rank", rank);
	return s->kind->next(s, rank, a);
}

size_t tape_actions_ranks(const struct tape_actions *s)
{
	return s->ranks;
}

const int *tape_actions_members(const struct tape_actions *s, uint32_t comm,
				int *size)
{
	return s->kind->members(s, comm, size);
}

size_t tape_actions_flow(const struct tape_actions *s, int rank)
{
	return s->kind->flow ? s->kind->flow(s, rank) : SIZE_MAX;
}

const char *tape_actions_measure(const struct tape_actions *s)
{
	return s->measure;
}

uint64_t tape_actions_left_out(const struct tape_actions *s)
{
	return s->left_out;
}

const char *tape_actions_error(const struct tape_actions *s)
{
	return s ? s->error : "out of memory";
}

void tape_actions_close(struct tape_actions *s)
{
	if (s)
		s->kind->close(s);
}
