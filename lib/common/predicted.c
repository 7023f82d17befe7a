/* Is it a prediction? See predicted.h. */
#include <string.h>

#include "predicted.h"

const char *tape_predicted(const struct tape_trace *t)
{
	const char *h, *machine;

	for (size_t n = 0; (h = tape_trace_meta(t, "history", n)); n++)
		if (!strncmp(h, "tapesim ", 8) &&
		    (machine = strstr(h, " machine ")))
			return machine + strlen(" machine ");
	return NULL;
}
