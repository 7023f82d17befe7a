/* Records of another version of Tape; see layout.h. */
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "record.h"

/* Cuts the next word off *s; NULL at the end. */
static char *next_layout_word(char **s)
{
	char *w = *s + strspn(*s, " ");

	*s = w + strcspn(w, " ");
	if (**s)
		*(*s)++ = '\0';
	return *w ? w : NULL;
}

static int find_field(unsigned class_, const char *name, struct tape_field *to)
{
	for (unsigned i = 0; tape_class_field(class_, i, to); i++)
		if (!strcmp(to->name, name))
			return 1;
	return 0;
}

/* "NAME:ENCODING" */
static int read_field(unsigned class_, struct tape_record_layout *r, char *text,
		      const char **what)
{
	static const char *const encodings[] = { "int", "u32", "u64" };
	char *colon = strchr(text, ':');
	unsigned e = 0;

	if (!colon || r->n == TAPE_LAYOUT_FIELDS)
		return TAPE_EFORMAT;
	*colon = '\0';
	while (e < 3 && strcmp(colon + 1, encodings[e]))
		e++;
	if (e == 3) {
		*what = "a field in an encoding of its own";
		return TAPE_EVERSION;
	}
	r->field[r->n].encoding = e;
	r->field[r->n].kept = find_field(class_, text, &r->field[r->n].to);
	r->lacks_arrived &= strcmp(text, "arrived") != 0;
	r->n++;
	return 0;
}

static int read_fields(unsigned class_, struct tape_record_layout *r,
		       char *rest, const char **what)
{
	int rc = 0, slash = 0;
	char *text;

	memset(r, 0, sizeof *r);
	r->other = 1;
	r->lacks_arrived = find_field(class_, "arrived", &r->arrived);
	while (!rc && (text = next_layout_word(&rest))) {
		if (!strcmp(text, "/")) {
			rc = slash ? TAPE_EFORMAT : 0;
			r->operands = r->n;
			slash = 1;
		} else {
			rc = read_field(class_, r, text, what);
		}
	}
	if (!slash)
		r->operands = r->n;
	return rc;
}

int tape_layout_line(struct tape_layout **l, const char *line,
		     const char **what)
{
	int creates = *line == '+', rc;
	char *copy = strdup(line + creates), *rest = copy, *name;
	unsigned class_;

	if (!copy)
		return TAPE_ENOMEM;
	name = next_layout_word(&rest);
	class_ = name ? tape_class_find(name) : TAPE_CLASS_COUNT;
	if (!name) {
		rc = TAPE_EFORMAT;
	} else if (class_ == TAPE_CLASS_COUNT ||
		   !strcmp(line, tape_class_layout(class_))) {
		/* this version has no call of that class */
		rc = 0;
	} else if (creates != tape_class_creates(class_)) {
		*what = "requests of other calls";
		rc = TAPE_EVERSION;
	} else if (!*l && !(*l = calloc(1, sizeof **l))) {
		rc = TAPE_ENOMEM;
	} else {
		rc = read_fields(class_, &(*l)->of[class_], rest, what);
	}
	free(copy);
	return rc;
}

const unsigned char *tape_layout_decode(const struct tape_record_layout *r,
					const unsigned char *p,
					const unsigned char *end,
					union tape_fields *u, int same)
{
	uint64_t v;

	for (int i = same ? r->operands : 0; i < r->n; i++) {
		p = tape_get_varint(p, end, &v);
		if (!p || (r->field[i].encoding != TAPE_AS_U64 &&
			   v > UINT32_MAX))
			return NULL;
		if (r->field[i].encoding == TAPE_AS_INT)
			v = (uint64_t)(int64_t)tape_unzigzag(v);
		if (r->field[i].kept &&
		    tape_field_set(u, &r->field[i].to, (int64_t)v))
			return NULL;
	}
	if (r->lacks_arrived)
		tape_field_set(u, &r->arrived, 2);
	return p;
}
