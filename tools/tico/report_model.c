/* The communication model in a report, of text or JSON; see report.h. */
#include <inttypes.h>
#include <stdio.h>

#include "escape.h"
#include "json.h"
#include "report.h"

struct tape_comm_line report_line(const struct report *p, int distance,
				  int rendezvous)
{
	struct tape_comm_line line = p->model->line[distance][rendezvous];
	const struct tape_curve *said =
		&p->said->model.transit[distance][rendezvous];

	if (said->n) {
		line.beta_ns = said->piece[0].ns;
		line.tau_ns = said->piece[0].rate;
	}
	return line;
}

/* What the fit stands on. */
static void text_fit(const struct tape_comm_line *line)
{
	static const char *const rates[] = {
		[TAPE_RATE_NONE] = "; sizes tell no rate",
		[TAPE_RATE_FITTED] = "",
		[TAPE_RATE_PROTOCOL] = "; the rate of the other protocol",
		[TAPE_RATE_DISTANCE] = "; the rate of another distance" };

	printf("fitted, %" PRIu64 " message%s of %d size%s, %.0f%% off",
	       line->messages, line->messages == 1 ? "" : "s", line->classes,
	       line->classes == 1 ? "" : "s", 100 * line->off);
	fputs(rates[line->rate], stdout);
	if (line->messages < TAPE_COMM_FEW)
		fputs("; few", stdout);
	if (line->suspect)
		fputs("; suspect, ten times slower than a copy", stdout);
}

static void text_curve(const struct report *p, int d, int rendezvous)
{
	struct tape_comm_line line = report_line(p, d, rendezvous);
	int pieces = p->said->model.transit[d][rendezvous].n;

	printf("%8.3f us + %.5f ns/byte  (", line.beta_ns / 1e3, line.tau_ns);
	if (pieces > 1)
		printf("the first of %d pieces, ", pieces);
	if (pieces)
		printf("as given");
	else
		text_fit(&line);
	/* PVM sends messages of any size ahead */
	if (!rendezvous && p->eager->bytes[d] < INT64_MAX)
		printf("; rendezvous above %" PRIu64 " bytes",
		       p->eager->bytes[d]);
	puts(")");
}

void report_model(const struct report *p)
{
	char file[1000];
	uint64_t any = 0;

	for (int d = 0; d < TAPE_DISTANCES; d++)
		any += p->model->line[d][0].messages;
	if (p->model->own_transit)
		printf("model              the function transit of %s\n",
		       tape_clean(p->file, file, sizeof file));
	for (int d = 0; !p->model->own_transit && d < TAPE_DISTANCES; d++) {
		const struct tape_comm_line *line = p->model->line[d];
		const struct tape_curve *said = p->said->model.transit[d];
		/* -b and -t say it of all distances: one will do */
		int named = p->file || (!any && d == TAPE_SHM);

		if (line[0].fitted || (said[0].n && named)) {
			printf("model %-4s         ", tape_distance_name[d]);
			text_curve(p, d, 0);
		}
		if (p->file ? said[1].n || line[1].fitted
			    : !said[1].n && line[1].fitted) {
			printf("  %-4s rendezvous  ", tape_distance_name[d]);
			text_curve(p, d, 1);
		}
	}
}

static void json_line(const struct report *p, int d, int rendezvous)
{
	static const char *const rates[] = {
		[TAPE_RATE_NONE] = "none", [TAPE_RATE_FITTED] = "sizes",
		[TAPE_RATE_PROTOCOL] = "protocol",
		[TAPE_RATE_DISTANCE] = "distance" };
	struct tape_comm_line line = report_line(p, d, rendezvous);

	printf("\"beta_ns\":%.17g,\"tau_ns\":%.17g,\"messages\":%" PRIu64,
	       line.beta_ns, line.tau_ns, line.messages);
	if (line.fitted)
		printf(",\"fit\":{\"sizes\":%d,\"off\":%.4g,\"rate_of\":\"%s\""
		       ",\"suspect\":%s}", line.classes, line.off,
		       rates[line.rate], line.suspect ? "true" : "false");
}

void report_model_json(const struct report *p)
{
	int given = p->file != NULL;

	printf("\"model\":{");
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		given |= p->said->model.transit[d][0].n;
		printf("%s\"%s\":{", d ? "," : "", tape_distance_name[d]);
		json_line(p, d, 0);
		printf(",\"eager_bytes\":%" PRIu64 ",\"rendezvous\":{",
		       p->eager->bytes[d]);
		json_line(p, d, 1);
		printf("}}");
	}
	printf(",\"given\":%s", given ? "true" : "false");
	if (p->file) {
		printf(",\"file\":");
		tape_json_string(p->file);
	}
	printf("}");
}
