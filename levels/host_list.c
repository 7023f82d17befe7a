/* Lists of hosts; see host_list.h. */
#include "host_list.h"

#include <stdio.h>
#include <string.h>

#include "error.h"

enum { DIGITS_MAX = 9 };

struct walk {
	int (*each)(void *of, const char *name);
	void *of;
	const char **what;
	const char *end;	       /* of the item in progress */
	char name[TAPE_HOST_NAME_MAX]; /* as far as it is put together */
};

static int refuse_list(const char **what, const char *why)
{
	*what = why;
	return TAPE_EFORMAT;
}

/* Digits at s, less than 10^9; *n receives how many. */
static int parse_digits(const char *s, long *value, int *n)
{
	*value = *n = 0;
	for (; s[*n] >= '0' && s[*n] <= '9'; ++*n) {
		if (*n == DIGITS_MAX)
			return TAPE_EFORMAT;
		*value = *value * 10 + s[*n] - '0';
	}
	return *n ? 0 : TAPE_EFORMAT;
}

struct range {
	long from, to;
	int digits;
};

/*
 * The range at *s, which moves to what follows: a comma, or the bracket's end.
 */
static int parse_range(const char **s, struct range *r, const char **what)
{
	int n;

	if (parse_digits(*s, &r->from, &r->digits))
		return refuse_list(what,
				   "expected a number of at most 9 digits "
				   "in brackets");
	*s += r->digits;
	r->to = r->from;
	if (**s == '-') {
		++*s;
		if (parse_digits(*s, &r->to, &n))
			return refuse_list(what,
					   "expected a number of at most 9 "
					   "digits after -");
		*s += n;
	}
	if (r->to < r->from)
		return refuse_list(what, "a range ends before it begins");
	if (**s != ',' && **s != ']')
		return refuse_list(what, "expected , or ] after a number");
	return 0;
}

/* How many names the item has, or TAPE_EFORMAT. */
static long count_names(const char *s, const char *end, const char **what)
{
	long all = 1;

	if (s == end)
		return refuse_list(what, "a list has an empty name");
	for (; s < end; s++) {
		long values = 0;

		if (*s == '/' || (unsigned char)*s <= ' ' || *s == 0x7f)
			return refuse_list(what, "invalid character in a name");
		if (*s == ']')
			return refuse_list(what, "] without [");
		if (*s != '[')
			continue;
		do {
			struct range r;

			s++;
			if (parse_range(&s, &r, what))
				return TAPE_EFORMAT;
			values += r.to - r.from + 1;
			if (values > TAPE_HOSTS_MAX)
				return refuse_list(what,
						   "more than 262144 hosts");
		} while (*s == ',');
		all *= values;
		if (all > TAPE_HOSTS_MAX)
			return refuse_list(what, "more than 262144 hosts");
	}
	return all;
}

/* All names that begin with the first at bytes of w->name and go on as s. */
static int expand_name(struct walk *w, const char *s, size_t at)
{
	size_t n = strcspn(s, "[");
	int e = 0;

	if (n > (size_t)(w->end - s))
		n = (size_t)(w->end - s);
	if (at + n >= sizeof w->name)
		return refuse_list(w->what, "a name of more than 255 bytes");
	memcpy(w->name + at, s, n);
	at += n;
	s += n;
	if (s == w->end) {
		w->name[at] = '\0';
		return w->each(w->of, w->name);
	}
	n = strcspn(s, "]") + 1;
	do {
		struct range r;

		s++;
		if (parse_range(&s, &r, w->what))
			return TAPE_EFORMAT;
		for (long i = r.from; i <= r.to && !e; i++) {
			int digits = snprintf(w->name + at, sizeof w->name - at,
					      "%0*ld", r.digits, i);

			if ((size_t)digits >= sizeof w->name - at)
				return refuse_list(w->what,
						   "a name of more than "
						   "255 bytes");
			e = expand_name(w, s + strcspn(s, "]") + 1,
					at + (size_t)digits);
		}
	} while (!e && *s == ',');
	return e;
}

int tape_host_list(const char *list, int (*each)(void *of, const char *name),
		   void *of, const char **what)
{
	struct walk w = {each, of, what, NULL, ""};

	for (;;) {
		int inside = 0, e;

		for (w.end = list; *w.end && (inside || *w.end != ','); w.end++)
			inside = *w.end == '[' || (inside && *w.end != ']');
		if (count_names(list, w.end, what) < 0)
			return TAPE_EFORMAT;
		e = expand_name(&w, list, 0);
		if (e || !*w.end)
			return e;
		list = w.end + 1;
	}
}
