/* Panels of pictures: against pixels and marks worked out by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"
#include "tap.h"

/* Returns 1 if the texts of the panel's axes are these: title, name of x, marks
 * of y, marks of x. */
static int has_texts(struct tape_svg_panel p, int n_x, const char *truth)
{
	char *text = NULL, found[400] = "";
	size_t n;

	p.f = open_memstream(&text, &n);
	if (!p.f)
		exit(2);
	tape_svg_axes(&p, n_x, "<a>", "s");
	fclose(p.f);
	for (char *s = text; (s = strstr(s, "<text "));) {
		s = strchr(s, '>') + 1;
		strncat(found, s, strcspn(s, "<"));
		strcat(found, " ");
	}
	free(text);
	if (strcmp(found, truth))
		printf("# \"%s\"\n# instead of \"%s\"\n", found, truth);
	return !strcmp(found, truth);
}

int main(void)
{
	struct tape_svg_panel p = {.left = 90,
				   .top = 30,
				   .width = 200,
				   .height = 100,
				   .x0 = -1,
				   .x1 = 3,
				   .y1 = 0.3};
	struct tape_svg_panel powers = {.left = 10,
					.width = 300,
					.height = 200,
					.x1 = 3,
					.y1 = 1,
					.is_log = 1};

	ok(tape_svg_x(&p, -1) == 90 && tape_svg_x(&p, 1) == 190 &&
	       tape_svg_y(&p, 0) == 130 && tape_svg_y(&p, 0.15) == 80,
	   "pixels of values");
	ok(tape_svg_x(&p, -5) == 90 && tape_svg_x(&p, 5) == 290 &&
	       tape_svg_y(&p, 1) == 30 && tape_svg_y(&p, -1) == 130,
	   "values outside are at the edge");
	/* six times 0.05 is above 0.3, as a computer rounds */
	ok(has_texts(p, 4,
		     "&#60;a&#62; s 0.00 0.05 0.10 0.15 0.20 0.25 0.30 "
		     "-1 0 1 2 3 "),
	   "round numbers, the last one too");
	ok(fabs(tape_svg_x(&powers, 10) - 110) < 1e-9 &&
	       fabs(tape_svg_y(&powers, 10)) < 1e-9,
	   "pixels of logarithms");
	ok(has_texts(powers, 0, "&#60;a&#62; s 1 2 5 10 1 10 100 1000 "),
	   "powers of ten; 2 and 5 between few");
	return done();
}
