/* Parses lines of communicators and windows; see action_words.h. */
#include "action_words.h"

int tape_line_read_existing(struct tape_line *l, uint32_t *number,
			    uint64_t kind)
{
	const char *what = kind == 1 ? "communicator here" : "window here";
	const char *word;
	uint64_t n = 0, *is;
	int rc;

	tape_line_skip_blanks(l);
	word = l->at;
	rc = tape_line_read_whole(l, &n, UINT32_MAX, what);
	*number = (uint32_t)n;
	if (rc || (!n && kind == 1))
		return rc;
	is = n ? tape_table_find(&l->r->comms, n) : NULL;
	if (is && *is == kind)
		return 0;
	l->at = word;
	return tape_line_fail_word(l, what);
}

static int declare_number(struct tape_line *l, uint64_t number, uint64_t kind)
{
	uint64_t *is = tape_table_get(&l->r->comms, number);

	if (!is)
		return TAPE_ENOMEM;
	if (*is)
		return tape_line_fail(l->r, "%u exists already",
				      (unsigned)number);
	*is = kind;
	return 0;
}

static int read_group(struct tape_line *l)
{
	struct tape_action_slot *s = tape_line_newest_slot(l);
	size_t n = tape_line_count_words(l);
	int32_t rank;
	int rc;

	if (n && tape_action_reserve_group(s, n))
		return TAPE_ENOMEM;
	while (tape_line_has_word(l)) {
		rc = tape_line_read_rank(l, &rank);
		if (rc)
			return rc;
		s->group[s->a.n_group++] = rank;
	}
	return 0;
}

/*
 * Reads the members of a communicator that they create alone. This rank must be
 * the member with the number of its key.
 */
static int read_members(struct tape_line *l)
{
	int rc = read_group(l);
	const struct tape_action *a = &tape_line_newest_slot(l)->a;

	if (rc ||
	    ((size_t)a->key < a->n_group && a->group[a->key] == l->r->rank))
		return rc;
	return tape_line_fail(l->r, "list of members missing, or this rank is "
				    "not at index KEY of the list");
}

int tape_line_parse_comm(struct tape_line *l, int what)
{
	uint64_t number = 0, parent = 0, key = 0;
	uint32_t there;
	int32_t color;
	int alone;
	struct tape_action *a;
	int rc = tape_line_read_whole(l, &number, INT32_MAX, "communicator");

	(void)what;
	tape_line_skip_blanks(l);
	if (!rc) {
		struct tape_line ahead = *l;

		rc = tape_line_read_whole(&ahead, &parent, INT32_MAX,
					  "communicator");
		if (!rc && number && parent == number)
			l->at = ahead.at;
		else if (!rc)
			rc = tape_line_read_existing(l, &there, 1);
	}
	if (!rc)
		rc =
		    tape_line_read_whole_or_none(l, &color, INT32_MAX, "color");
	if (!rc)
		rc = tape_line_read_whole(l, &key, INT32_MAX, "key");
	if (rc)
		return rc;
	if (!number && color >= 0)
		return tape_line_fail(l->r, "communicator 0 is the world");
	alone = number && parent == number;
	if (alone && color < 0)
		return tape_line_fail(l->r, "a rank creates a communicator of "
					    "which it is not a member");
	rc = color >= 0 ? declare_number(l, number, 1) : 0;
	if (rc)
		return rc;
	a = tape_line_add_action(l, TAPE_ACTION_COMM);
	if (!a)
		return TAPE_ENOMEM;
	a->comm = color < 0 ? 0 : (uint32_t)number;
	a->parent = (uint32_t)parent;
	a->color = color;
	a->key = (int32_t)key;
	return alone ? read_members(l) : 0;
}

int tape_line_parse_window(struct tape_line *l, int what)
{
	uint64_t number = 0, n = 0;
	uint32_t parent = 0;
	struct tape_action *a;
	int rc = tape_line_read_whole(l, &number, INT32_MAX, "window");

	(void)what;
	if (!rc)
		rc = tape_line_read_existing(l, &parent, 1);
	if (!rc)
		rc = tape_line_read_size(l, &n);
	if (!rc && !number)
		rc = tape_line_fail(l->r, "window numbers start at 1");
	if (!rc)
		rc = declare_number(l, number, 2);
	if (rc)
		return rc;
	a = tape_line_add_action(l, TAPE_ACTION_WIN);
	if (!a)
		return TAPE_ENOMEM;
	a->comm = (uint32_t)number;
	a->parent = parent;
	a->bytes = n;
	return 0;
}

int tape_line_parse_on_window(struct tape_line *l, int kind)
{
	struct tape_action a = {.root = -1};
	struct tape_action *there;
	uint64_t n = 0;
	int rc = tape_line_read_existing(l, &a.comm,
					 kind == TAPE_ACTION_COMM_FREE ? 1 : 2);
	int moves = kind == TAPE_ACTION_PUT || kind == TAPE_ACTION_GET ||
		    kind == TAPE_ACTION_ACCUMULATE;

	if (!rc && moves)
		rc = tape_line_read_rank(l, &a.peer);
	if (!rc && moves)
		rc = tape_line_read_size(l, &a.bytes);
	if (!rc && kind == TAPE_ACTION_ACCUMULATE)
		rc = tape_line_read_size(l, &a.rbytes);
	if (!rc && (kind == TAPE_ACTION_LOCK || kind == TAPE_ACTION_UNLOCK ||
		    kind == TAPE_ACTION_FLUSH))
		rc = tape_line_read_whole_or_none(
		    l, &a.peer, tape_line_last_rank(l), "rank of these files");
	if (!rc && kind == TAPE_ACTION_LOCK) {
		rc = tape_line_read_whole(l, &n, 1, "0 or 1");
		a.root = (int32_t)n;
	}
	if (rc)
		return rc;
	if (kind == TAPE_ACTION_WIN_FREE || kind == TAPE_ACTION_COMM_FREE) {
		if (!a.comm)
			return tape_line_fail(l->r, "communicator 0 is the "
						    "world");
		tape_table_drop(&l->r->comms, a.comm);
	}
	there = tape_line_add_action(l, (enum tape_action_kind)kind);
	if (!there)
		return TAPE_ENOMEM;
	a.kind = there->kind;
	*there = a;
	if (kind == TAPE_ACTION_POST || kind == TAPE_ACTION_START)
		return read_group(l);
	return 0;
}
