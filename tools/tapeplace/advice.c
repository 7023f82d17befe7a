/* See advice.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advice.h"
#include "duration_text.h"
#include "escape.h"
#include "json.h"
#include "tool.h"

/*
 * The messages of one level, and the largest number of bytes over one direction
 * of a link below one of its nodes.
 */
struct sums {
	double messages, bytes, busiest;
};

/* The link from a node to its parent, in both directions. */
struct link {
	double out, in;
};

/* ---- sums ---- */

static void add_link(const struct place_slots *s, struct link *links,
		     uint32_t slot, uint32_t depth, double out, double in)
{
	const uint32_t *above = s->above + (size_t)slot * s->most_depth;

	/* each node below the common one, and the slot */
	for (uint32_t d = depth + 1;
	     d < s->most_depth && above[d] != PLACE_NONE; d++) {
		links[above[d]].out += out;
		links[above[d]].in += in;
	}
	links[s->n_nodes + slot].out += out;
	links[s->n_nodes + slot].in += in;
}

static void update_busiest(struct sums *sums, const struct link *l)
{
	sums->busiest = fmax(sums->busiest, fmax(l->out, l->in));
}

/* The deepest node above a slot. */
static uint32_t deepest_node(const struct place_slots *s, uint32_t slot)
{
	const uint32_t *above = s->above + (size_t)slot * s->most_depth;
	uint32_t d = s->most_depth - 1;

	while (above[d] == PLACE_NONE)
		d--;
	return above[d];
}

static struct sums *compute_sums(const struct place_advice *a,
				 const uint32_t *slot_of)
{
	const struct place_slots *s = a->s;
	struct sums *sums = tape_must(calloc(s->n_levels + 1, sizeof *sums));
	struct link *links =
	    tape_must(calloc(s->n_nodes + s->n + 1, sizeof *links));

	for (uint32_t r = 0; r < a->p->ranks; r++)
		for (size_t k = a->p->first[r]; k < a->p->first[r + 1]; k++) {
			const struct place_partner *q = &a->p->partner[k];
			const struct place_node *node;
			uint32_t x = slot_of[r], y = slot_of[q->rank];

			if (q->rank < r)
				continue;
			node = place_common_node(s, x, y);
			sums[node->level].messages += q->messages;
			sums[node->level].bytes += q->bytes;
			add_link(s, links, x, node->depth, q->sent,
				 q->bytes - q->sent);
			add_link(s, links, y, node->depth, q->bytes - q->sent,
				 q->sent);
		}
	for (size_t i = 1; i < s->n_nodes; i++)
		update_busiest(&sums[s->node[s->node[i].up].level], &links[i]);
	for (uint32_t i = 0; i < s->n; i++)
		update_busiest(&sums[s->node[deepest_node(s, i)].level],
			       &links[s->n_nodes + i]);
	free(links);
	return sums;
}

/* ---- words ---- */

/* "1.24 GB" */
static const char *bytes_text(double b, char text[32])
{
	static const char *const unit[] = {"bytes", "kB", "MB",
					   "GB",    "TB", "PB"};
	int u = 0;

	while (b >= 999.5 && u < 5) {
		b /= 1000;
		u++;
	}
	snprintf(text, 32, "%.*f %s",
		 !u || b >= 100 ? 0
		 : b >= 10	? 1
				: 2,
		 b, unit[u]);
	return text;
}

static const char *duration_text(int64_t ns, char text[32])
{
	return tape_duration_text((double)ns, text, 32);
}

/* The plural name of the objects right below a level. */
static const char *pieces_text(const struct place_level *l, char text[128])
{
	static const struct {
		const char *type, *many;
	} known[] = {{"Machine", "hosts"},	 {"Package", "packages"},
		     {"NUMANode", "NUMA nodes"}, {"L3", "L3 caches"},
		     {"L2", "L2 caches"},	 {"L1d", "L1 caches"},
		     {"Core", "cores"},		 {"PU", "processors"},
		     {"Switch1", "switches"},	 {"", "processes"}};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(l->below, known[i].type))
			return known[i].many;
	if (!strncmp(l->below, "Switch", 6))
		snprintf(text, 128, "switches (%s)", l->below);
	else
		snprintf(text, 128, "pieces of type %s", l->below);
	return text;
}

static double percent_change(double before, double after)
{
	return before > 0 ? fabs(before - after) / before * 100 : 0;
}

/* ---- text ---- */

static int is_unchanged(const struct place_advice *a)
{
	return !memcmp(a->before, a->after, a->p->ranks * sizeof *a->before);
}

/* The costliest level at which something changes; n_levels: none. */
static size_t costliest_change(const struct place_advice *a,
			       const struct sums *x, const struct sums *y)
{
	size_t l = a->s->n_levels;

	while (l && fabs(x[l - 1].bytes - y[l - 1].bytes) < 0.5 &&
	       fabs(x[l - 1].messages - y[l - 1].messages) < 0.5)
		l--;
	return l ? l - 1 : a->s->n_levels;
}

static void print_answer(const struct place_advice *a, const struct sums *x,
			 const struct sums *y)
{
	char one[32], two[32], name[128];
	size_t l = costliest_change(a, x, y);

	if (a->s->n_levels < 1 || a->p->bytes + a->p->messages <= 0) {
		printf("Keep the current rank order: the ranks exchange no "
		       "messages.\n");
		return;
	}
	if (is_unchanged(a)) {
		printf("Keep the current rank order: no order was found ");
		if (a->refused_ns >= 0)
			printf("with a shorter predicted run (best: %s, now: "
			       "%s).\n",
			       duration_text(a->refused_ns, one),
			       duration_text(a->before_ns, two));
		else
			printf("with less traffic at the expensive levels.\n");
		return;
	}
	printf("Better rank order: ");
	if (l < a->s->n_levels) {
		printf("bytes between %s ", pieces_text(&a->s->level[l], name));
		printf("%s -> %s", bytes_text(x[l].bytes, one),
		       bytes_text(y[l].bytes, two));
	} else {
		printf("the same bytes at all levels");
	}
	if (a->before_ns >= 0)
		printf(
		    "; predicted run %s -> %s (%.1f%% %s)",
		    duration_text(a->before_ns, one),
		    duration_text(a->after_ns, two),
		    percent_change((double)a->before_ns, (double)a->after_ns),
		    a->after_ns <= a->before_ns ? "shorter" : "longer");
	printf(".\n");
}

static void print_levels(const struct place_advice *a, const struct sums *x,
			 const struct sums *y)
{
	char text[4][32], name[128];

	printf("%-20s %10s %10s %11s %11s %21s %8s\n", "between", "bytes",
	       "after", "messages", "after", "busiest link", "cost");
	for (size_t l = a->s->n_levels; l--;)
		printf("%-20.40s %10s %10s %11.0f %11.0f %10s %10s %8.3g\n",
		       pieces_text(&a->s->level[l], name),
		       bytes_text(x[l].bytes, text[0]),
		       bytes_text(y[l].bytes, text[1]), x[l].messages,
		       y[l].messages, bytes_text(x[l].busiest, text[2]),
		       bytes_text(y[l].busiest, text[3]), a->c->byte[l]);
}

static size_t count_moved(const struct place_advice *a)
{
	size_t n = 0;

	for (size_t r = 0; r < a->p->ranks; r++)
		n += a->before[r] != a->after[r];
	return n;
}

void place_advice_print_text(const struct place_advice *a)
{
	struct sums *x = compute_sums(a, a->before),
		    *y = compute_sums(a, a->after);
	double cost = place_order_cost(a->s, a->p, a->c, a->before);
	char name[300];

	print_answer(a, x, y);
	printf("%s: %zu ranks, %zu slots, %zu levels",
	       tape_clean(a->input, name, sizeof name), a->p->ranks, a->s->n,
	       a->s->n_levels);
	if (a->machine)
		printf(", on %s", tape_clean(a->machine, name, sizeof name));
	printf(
	    "; %zu ranks moved; weighted cost %.2f%% less\n", count_moved(a),
	    percent_change(cost, place_order_cost(a->s, a->p, a->c, a->after)));
	print_levels(a, x, y);
	if (a->p->unknown)
		printf("%" PRIu64 " collectives are not included: their "
				  "algorithms are unknown\n",
		       a->p->unknown);
	free(x);
	free(y);
}

/* ---- JSON ---- */

static void print_order_json(const char *key, const uint32_t *slot_of, size_t n)
{
	printf("  \"%s\": [", key);
	for (size_t r = 0; r < n; r++)
		printf("%s%u", r ? ", " : "", slot_of[r]);
	printf("],\n");
}

static void print_ns_json(const char *key, int64_t ns)
{
	if (ns < 0)
		printf("  \"%s\": null,\n", key);
	else
		printf("  \"%s\": %" PRId64 ",\n", key, ns);
}

static void print_sums_json(const char *key, const struct sums *x)
{
	printf(", \"%s\": {\"bytes\": %.0f, \"messages\": %.0f, "
	       "\"busiest_link\": %.0f}",
	       key, x->bytes, x->messages, x->busiest);
}

void place_advice_print_json(const struct place_advice *a)
{
	struct sums *x = compute_sums(a, a->before),
		    *y = compute_sums(a, a->after);

	printf("{\n  \"input\": ");
	tape_json_string(a->input);
	printf(",\n  \"ranks\": %zu,\n  \"slots\": %zu,\n", a->p->ranks,
	       a->s->n);
	printf("  \"moved\": %zu,\n  \"cost_before\": ", count_moved(a));
	tape_json_number(place_order_cost(a->s, a->p, a->c, a->before));
	printf(",\n  \"cost_after\": ");
	tape_json_number(place_order_cost(a->s, a->p, a->c, a->after));
	printf(",\n");
	print_ns_json("predicted_before_ns", a->before_ns);
	print_ns_json("predicted_after_ns", a->after_ns);
	print_ns_json("predicted_refused_ns", a->refused_ns);
	printf("  \"collectives_unknown\": %" PRIu64 ",\n", a->p->unknown);
	print_order_json("before", a->before, a->p->ranks);
	print_order_json("after", a->after, a->p->ranks);
	printf("  \"levels\": [");
	for (size_t l = a->s->n_levels; l--;) {
		printf("%s\n    {\"shared\": ",
		       l + 1 < a->s->n_levels ? "," : "");
		tape_json_string(a->s->level[l].name);
		printf(", \"between\": ");
		tape_json_string(a->s->level[l].below);
		printf(", \"cost\": ");
		tape_json_number(a->c->byte[l]);
		print_sums_json("before", &x[l]);
		print_sums_json("after", &y[l]);
		printf("}");
	}
	printf("\n  ]\n}\n");
	free(x);
	free(y);
}
