/* The parts of a chapter: texts, tables and pictures; see chapter.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chapter.h"
#include "html.h"
#include "maps.h"
#include "run_efficiency.h"
#include "sort.h"
#include "svg.h"
#include "tool.h"
#include "traffic.h"
#include "useful_time.h"

/* Most ranks that have a bar of their own; lines of tables. */
enum { RANKS_SHOWN = 48, LINES = 12, SHORT = 8 };

static void put_part_heading(FILE *f, const char *title, const char *about)
{
	fprintf(f, "<h3>%s</h3>\n<p class=\"about\">%s</p>\n", title, about);
}

/* Writes a table, if it has rows. */
static void put_part_table(FILE *f, const struct sheet *h, const char *title,
			   const char *const *columns, size_t lines)
{
	if (!h || !sheet_count_rows(h))
		return;
	fprintf(f, "<h4>%s</h4>\n", title);
	html_put_table(f, h, columns, lines);
}

/* ---- overview ---- */

/* Writes the lines of tapestat's report, the first of which is its title. */
static void put_report_lines(struct stats *s, FILE *f)
{
	char *text = NULL, *line, *rest;
	size_t n;
	FILE *to = tape_must(open_memstream(&text, &n));
	int i = 0;

	stat_print_report(s, to);
	if (fclose(to))
		tape_die_no_memory();
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest), i++) {
		const char *kind = !i ? "what"
				   : !strncmp(line, "INCOMPLETE", 10) ||
					   !strncmp(line, "Warning", 7)
				       ? "bad"
				       : "said";

		fprintf(f, "<p class=\"%s\">", kind);
		tape_svg_text(f, line);
		fputs("</p>\n", f);
	}
	free(text);
}

static void rank_time_parts(const struct stat_rank *r, double part[HTML_PARTS])
{
	part[0] = r->computing_ns;
	part[2] = r->waiting_ns;
	part[3] = r->tracing_ns;
	part[1] = fmax(0, r->length_ns - part[0] - part[2] - part[3]);
}

void chapter_put_overview(struct chapter_draft *m, FILE *f)
{
	double sum[HTML_PARTS] = {0}, part[HTML_PARTS], all = 0, longest = 0;
	char text[40];

	put_report_lines(m->s, f);
	for (size_t i = 0; i < m->ranks; i++) {
		rank_time_parts(&m->rank[i], part);
		for (int k = 0; k < HTML_PARTS; k++)
			sum[k] += part[k];
		all += m->rank[i].length_ns;
		longest = fmax(longest, m->rank[i].length_ns);
	}
	put_part_heading(
	    f, "Where the time went",
	    "Time of all ranks, from the end of MPI_Init to the end of the "
	    "run: between calls, inside calls without waiting, inside calls "
	    "waiting for another rank, and in the tracer.");
	html_put_legend(f);
	fputs("<table class=\"bars\"><tr><th class=\"n\">all ranks</th><td>",
	      f);
	html_put_bar(f, sum, all);
	fprintf(f, "</td><td>%s</td></tr>\n",
		html_time(all, text, sizeof text));
	for (size_t i = 0;
	     m->ranks > 1 && m->ranks <= RANKS_SHOWN && i < m->ranks; i++) {
		rank_time_parts(&m->rank[i], part);
		fprintf(f, "<tr><th class=\"n\">rank %d</th><td>",
			m->rank[i].rank);
		html_put_bar(f, part, longest);
		fprintf(f, "</td><td>%s</td></tr>\n",
			html_time(m->rank[i].length_ns, text, sizeof text));
	}
	fputs("</table>\n", f);
	if (m->ranks > RANKS_SHOWN)
		put_part_table(f, m->table[STAT_RANKS],
			       "Ranks, by how much they "
			       "compute",
			       NULL, LINES);
}

void chapter_put_efficiency(struct chapter_draft *m, FILE *f)
{
	static const char *const columns[] = {
	    "length",	"computing",	 "balance",  "serialisation",
	    "transfer", "communication", "parallel", "part",
	    NULL};
	static const char *const shared[] = {
	    "length",	     "computing", "balance",	   "processors",
	    "serialisation", "transfer",  "communication", "parallel",
	    "part",	     NULL};
	struct sheet *h = m->table[STAT_EFFICIENCY];

	if (m->ranks < 2 || !stats_is_efficiency_known(m->s))
		return;
	put_part_heading(
	    f, "Efficiency",
	    "Parallel efficiency is the product of balance, serialisation and "
	    "transfer, and of processors where ranks waited for them. Balance: "
	    "mean of the computing times of the ranks, divided by the longest. "
	    "Processors: the longest without waiting for processors, divided "
	    "by the longest. Serialisation: the longest, divided by the run "
	    "time with messages that take no time. Transfer: that run time, "
	    "divided by the real one.");
	html_put_table(f, h, stats_is_shared(m->s) ? shared : columns, LINES);
}

/* ---- calls ---- */

void chapter_put_calls(struct chapter_draft *m, FILE *f)
{
	static const char *const calls[] = {
	    "call site", "total", "share",     "waiting",
	    "max/mean",	 "rank",  "calls",     "mean",
	    "p99",	 "bytes", "processor", "processor most",
	    NULL};
	static const char *const regions[] = {"region", "own",	    "share",
					      "total",	"in calls", "entries",
					      "mean",	NULL};
	static const char *const names[] = {"call",    "total", "share",
					    "waiting", "calls", "mean",
					    "bytes",   NULL};

	put_part_heading(f, "Profile",
			 "Call sites, by the sum of their time over all ranks. "
			 "max/mean is the imbalance: the time of the rank in "
			 "the next column as a multiple of the mean.");
	put_part_table(f, m->table[STAT_CALLS], "By call site", calls, LINES);
	put_part_table(f, m->table[STAT_REGIONS], "By region", regions, LINES);
	put_part_table(f, m->table[STAT_COUNTERS], "Counters, by region", NULL,
		       2 * LINES);
	put_part_table(f, m->table[STAT_OUTSIDE], "Outside of calls", NULL,
		       LINES);
	fputs("<details><summary>By call</summary>\n", f);
	put_part_table(f, m->table[STAT_NAMES], "By call", names, 1000);
	put_part_table(f, m->table[STAT_COLLECTIVES], "Collectives", NULL,
		       1000);
	fputs("</details>\n", f);
}

/* ---- waits ---- */

static int order_by_late_ns(const void *a, const void *b)
{
	const struct stats_pair *x = a, *y = b;

	if (x->late_ns != y->late_ns)
		return x->late_ns < y->late_ns ? 1 : -1;
	return x->from != y->from ? x->from - y->from : x->to - y->to;
}

/* Returns the pairs of ranks with the longest waits for messages. */
static struct sheet *late_sender_table(const struct stats *s)
{
	struct stats_pair *list =
	    tape_must(calloc(s->pairs.used + 1, sizeof *list));
	struct sheet *h = sheet_new("late", "Late senders");
	const struct stats_pair *p;
	uint64_t key;
	size_t n = 0;

	for (size_t at = 0; (p = tape_table_each(&s->pairs, &at, &key));)
		if (p->late_ns > 0)
			list[n++] = *p;
	tape_sort(list, n, sizeof *list, order_by_late_ns);
	sheet_add_column(h, "waiting", SHEET_SECONDS);
	stat_add_processor_columns(h);
	sheet_add_column(h, "receiver", SHEET_COUNT);
	sheet_add_column(h, "late sender", SHEET_COUNT);
	sheet_add_column(h, "messages", SHEET_COUNT);
	sheet_add_column(h, "bytes", SHEET_BYTES);
	for (size_t i = 0; i < n; i++) {
		sheet_put_number(h, list[i].late_ns);
		stat_put_processor(h, s, &list[i].ready);
		sheet_put_number(h, list[i].to);
		sheet_put_number(h, list[i].from);
		sheet_put_number(h, (double)list[i].messages);
		sheet_put_number(h, list[i].bytes);
	}
	free(list);
	return h;
}

void chapter_put_waits(struct chapter_draft *m, FILE *f)
{
	struct sheet *late;

	put_part_heading(
	    f, "Waiting",
	    "Which rank waited for which rank in which call, and what the late "
	    "ranks did during that time: this has to become faster.");
	if (!m->s->comparable) {
		fputs("<p class=\"bad\">The clocks of the ranks are not "
		      "synchronised, so waiting times are not available. Run "
		      "sba(1) first.</p>\n",
		      f);
		return;
	}
	if (!sheet_count_rows(m->table[STAT_WAITS])) {
		fputs("<p>No rank waited.</p>\n", f);
		return;
	}
	put_part_table(f, m->table[STAT_WAITS], "Waits", NULL, LINES);
	put_part_table(f, m->table[STAT_CAUSES], "Causes", NULL, LINES);
	late = late_sender_table(m->s);
	put_part_table(f, late, "Late senders", NULL, LINES);
	sheet_free(late);
	fputs("<details><summary>The critical path: the chain of events that "
	      "determines the end of the run</summary>\n",
	      f);
	put_part_table(f, m->table[STAT_PATH], "On the critical path", NULL,
		       100);
	fputs("</details>\n", f);
}

/* ---- messages ---- */

void chapter_put_messages(struct chapter_draft *m, FILE *f)
{
	const struct traffic *t = m->traffic;
	char a[60], b[60];

	put_part_heading(
	    f, "Messages",
	    "From rank to rank, without collectives. In the matrices a "
	    "row is a sender and a column a receiver.");
	fprintf(f, "<p>%s messages with %s",
		html_count(t->messages, a, sizeof a),
		html_bytes(t->bytes, b, sizeof b));
	fprintf(f, " between %s pairs of ranks.</p>\n",
		html_count((double)t->pairs, a, sizeof a));
	if (!t->pairs)
		return;
	traffic_put_matrix(t, f);
	fputs("<h4>Topology</h4>\n", f);
	traffic_put_graph(t, m->look->graphs, f);
	fputs("<details><summary>By size, host and level of the hardware"
	      "</summary>\n",
	      f);
	put_part_table(f, m->table[STAT_SIZES], "Sizes", NULL, 100);
	put_part_table(f, m->table[STAT_HOSTS], "From host to host", NULL,
		       LINES);
	put_part_table(f, m->table[STAT_LEVELS], "By distance", NULL, LINES);
	fputs("</details>\n", f);
}

/* ---- maps ---- */

void chapter_put_maps(struct chapter_draft *m, FILE *f)
{
	put_part_heading(f, "Maps by rank",
			 "Every square is a rank, row by row, dark for the "
			 "minimum of each map and light for the maximum: "
			 "imbalance in space shows as a pattern.");
	fprintf(f, "<p class=\"faint\">%d ranks in a row", m->maps->columns);
	if (m->maps->per_cell > 1)
		fprintf(f, "; a square is the mean of %d ranks",
			m->maps->per_cell);
	fputs("</p>\n", f);
	maps_put_html(m->maps, f);
}
