/* Positions: what two share, steps, types, bad texts; and bindings. */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "hardware.h"
#include "position.h"
#include "tap.h"

static size_t shared(const char *a, const char *b)
{
	size_t n = tape_position_common(a, b);

	ok(n == tape_position_common(b, a), "%s and %s: either way", a, b);
	return n;
}

static void bindings(void)
{
	static const char *const cases[][2] = {
	    {"0", "C/Package:0/L3:0/Core:0"},
	    {"0,1", "C/Package:0/L3:0"},
	    {"0-1", "C/Package:0/L3:0"},
	    {"1-2", "C/Package:0"},
	    {"2,4", "C"},
	    {"all", "C"},
	    {"3", "C"}, /* that one is not there */
	    {"3,4", "C/Package:1/L3:2/Core:4"},
	    {"99", "C"},
	};
	static const char *const bad[] = {"x",	"1-", "-1",  "2-1",
					  "1,", ",1", "1 2", "99999999999"};
	struct tape_hardware h, again;
	char *text, p[TAPE_POSITION_MAX];

	ok(tape_hardware_parse(&h, "Package:0/L3:0/Core:0\n"
				   "Package:0/L3:0/Core:1\n"
				   "Package:0/L3:1/Core:2\n"
				   "\n"
				   "Package:1/L3:2/Core:4\n") == 0,
	   "a host as text");
	text = tape_hardware_text(&h);
	ok(tape_hardware_parse(&again, text) == 0 && again.n == 5 &&
	       !strcmp(again.to[4], h.to[4]),
	   "and back");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		setenv("TAPE_BINDING", cases[i][0], 1);
		strcpy(p, "C");
		ok(tape_hardware_position(&h, p) == 0, "binding %s",
		   cases[i][0]);
		ok(!strcmp(p, cases[i][1]), "%s", p);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		setenv("TAPE_BINDING", bad[i], 1);
		ok(tape_hardware_position(&h, p) == TAPE_ERANGE,
		   "binding '%s' is none", bad[i]);
	}
	free(text);
	tape_hardware_free(&h);
	tape_hardware_free(&again);
	ok(tape_hardware_parse(&h, "a\n/b\n") == TAPE_EFORMAT,
	   "a damaged text");
}

int main(void)
{
	char p[TAPE_POSITION_MAX] = "", type[TAPE_LEVEL_MAX],
	     step[TAPE_STEP_MAX], longest[2 * TAPE_STEP_MAX];

	ok(shared("A/B:1/C:2", "A/B:1/C:3") == 5, "two steps");
	ok(shared("A/B:1", "A/B:1/C:3") == 5, "all of the shorter");
	ok(shared("A/B:1", "A/B:12") == 1, "whole steps only");
	ok(shared("A", "B") == 0 && shared("", "A") == 0, "nothing");
	ok(shared("A/B", "A/B") == 3, "the same");

	ok(!tape_position_add(p, "Cluster", NULL) &&
	       !tape_position_add(p, "Machine", "a b/c") &&
	       !tape_position_add(p, "L:3", "1"),
	   "steps");
	ok(!strcmp(p, "Cluster/Machine:a_b_c/L_3:1"), "%s", p);
	ok(tape_position_depth(p, strlen(p)) == 3, "depth");
	tape_position_type(p, strlen(p), type);
	ok(!strcmp(type, "L_3"), "%s", type);
	tape_position_type(p, 7, type);
	ok(!strcmp(type, "Cluster"), "%s", type);
	tape_position_next(p, 7, step);
	ok(!strcmp(step, "Machine:a_b_c"), "%s", step);
	tape_position_next(p, strlen(p), step);
	ok(!strcmp(step, ""), "%s", step);
	tape_position_next(p, 0, step);
	ok(!strcmp(step, "Cluster"), "%s", step);
	ok(tape_position_find(p, "machine") == 21 &&
	       tape_position_find(p, "Mach") == 0 &&
	       tape_position_find(p, "Cluster") == 7,
	   "find");

	memset(longest, 'x', sizeof longest);
	longest[sizeof longest - 1] = '\0';
	ok(tape_position_add(p, longest, NULL) == TAPE_ERANGE &&
	       tape_position_add(p, "T", longest) == TAPE_ERANGE &&
	       tape_position_add(p, "", "1") == TAPE_ERANGE,
	   "too long, or none");
	ok(!strcmp(p, "Cluster/Machine:a_b_c/L_3:1"), "%s", p);
	for (int i = 0; i < 2 * TAPE_STEPS_MAX; i++)
		tape_position_add(p, "S", "1");
	ok(tape_position_depth(p, strlen(p)) == TAPE_STEPS_MAX, "at most 32");
	ok(tape_position_valid(p), "valid");
	ok(!tape_position_valid("") && !tape_position_valid("/A") &&
	       !tape_position_valid("A/") && !tape_position_valid("A//B") &&
	       !tape_position_valid("A/:1") && !tape_position_valid("A B") &&
	       !tape_position_valid(longest),
	   "not valid");
	bindings();
	return done();
}
