/* Calls that depend on when messages arrive; see message_order.h. */
#include <inttypes.h>
#include <stdio.h>

#include "message_order.h"

int tape_message_order_read(struct tape_message_order *o,
			    const struct tape_trace *t)
{
	const char *line = tape_trace_meta(t, "order", 0);

	if (line && sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &o->calls,
			   &o->open, &o->turned) == 3)
		return 1;
	*o = (struct tape_message_order){0};
	return 0;
}
