/* Figures of tapestat's JSON; see des.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "des.h"

double des_read_factor(const char *file, const char *head, const char *name)
{
	static char text[1 << 20];
	char key[40], *at, *end;
	FILE *f = fopen(file, "r");
	size_t n;

	if (!f)
		return NAN;
	n = fread(text, 1, sizeof text - 1, f);
	text[n] = '\0';
	fclose(f);
	snprintf(key, sizeof key, "\"%s\":", name);
	at = strstr(text, head);
	/* the region is in the second line of its table */
	if (at && strchr(head, '['))
		at = strstr(at, "},{");
	end = at ? strchr(at + 2, '}') : NULL;
	at = at ? strstr(at, key) : NULL;
	if (!at || at > end || !strncmp(at + strlen(key), "null", 4))
		return NAN;
	return strtod(at + strlen(key), NULL);
}
