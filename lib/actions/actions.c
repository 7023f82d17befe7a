/* What is common to sources of actions; see action.h, action_source.h. */
#include <stdarg.h>
#include <stdio.h>

#include "error.h"
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

int tape_actions_no_memory(struct tape_actions *s)
{
	return tape_actions_fail(s, TAPE_ENOMEM, "%s",
				 tape_error_text(TAPE_ENOMEM));
}

int tape_action_moves_nothing(enum tape_action_op op, uint64_t bytes,
			      uint64_t rbytes)
{
	switch (op) {
	case TAPE_DO_BCAST:
	case TAPE_DO_REDUCE:
	case TAPE_DO_ALLREDUCE:
	case TAPE_DO_SCAN:
	case TAPE_DO_EXSCAN:
	case TAPE_DO_REDUCE_SCATTER:
	case TAPE_DO_GATHER:
	case TAPE_DO_SCATTER:
	case TAPE_DO_ALLGATHER:
	case TAPE_DO_ALLTOALL:
		return !bytes && !rbytes;
	case TAPE_DO_BARRIER:
	case TAPE_DO_GATHERV:
	case TAPE_DO_SCATTERV:
	case TAPE_DO_ALLGATHERV:
	case TAPE_DO_ALLTOALLV:
	case TAPE_DO_OPS:
		break;
	}
	return 0;
}

int tape_actions_next(struct tape_actions *s, int rank,
		      const struct tape_action **a)
{
	if (rank < 0 || (size_t)rank >= s->ranks)
		return tape_actions_fail(s, TAPE_ERANGE,
					 "rank %d: no such rank", rank);
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
	return s ? s->error : tape_error_text(TAPE_ENOMEM);
}

void tape_actions_close(struct tape_actions *s)
{
	if (s)
		s->kind->close(s);
}
