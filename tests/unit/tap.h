/* TAP output for unit tests: ok(condition, "what") and done() at the end. */
#ifndef TAP_H
#define TAP_H
#include <stdarg.h>
#include <stdio.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 2, 3))) static inline int
ok(int condition, const char *what, ...)
{
	va_list ap;

	printf("%sok %d - ", condition ? "" : "not ", ++tap_count);
	va_start(ap, what);
	vprintf(what, ap);
	va_end(ap);
	putchar('\n');
	tap_failed += !condition;
	return condition;
}

static inline int done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}
#endif
