/* The communication model in a report, as text or JSON; see inputs.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "inputs.h"
#include "escape.h"
#include "json.h"

struct tape_comm_line inputs_model_line(const struct inputs *b,
					const struct tape_comm_model *model,
					int distance, int rendezvous)
{
	struct tape_comm_line line = model->line[distance][rendezvous];
	const struct tape_curve *said =
		&b->said.model.transit[distance][rendezvous];

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
	    [TAPE_RATE_NONE] = "; too few sizes for a rate",
	    [TAPE_RATE_FITTED] = "",
	    [TAPE_RATE_PROTOCOL] = "; the rate of the other protocol",
	    [TAPE_RATE_DISTANCE] = "; the rate of another distance"};

	printf("fitted, %" PRIu64 " message%s of %d size%s, off by %.0f%%",
	       line->messages, line->messages == 1 ? "" : "s", line->classes,
	       line->classes == 1 ? "" : "s", 100 * line->off);
	fputs(rates[line->rate], stdout);
	if (line->messages < TAPE_COMM_FEW)
		fputs("; few", stdout);
	if (line->suspect)
		fputs("; suspect, ten times slower than a copy", stdout);
}

static void text_curve(const struct inputs *b,
		       const struct tape_comm_model *model, int d,
		       int rendezvous)
{
	struct tape_comm_line line = inputs_model_line(b, model, d, rendezvous);
	int pieces = b->said.model.transit[d][rendezvous].n;

	printf("%8.3f us + %.5f ns/byte  (", line.beta_ns / 1e3, line.tau_ns);
	if (pieces > 1)
		printf("the first of %d pieces, ", pieces);
	if (pieces)
		printf("as given");
	else
		text_fit(&line);
	/* PVM sends messages of any size ahead */
	if (!rendezvous && b->eager.bytes[d] < INT64_MAX)
		printf("; rendezvous above %" PRIu64 " bytes",
		       b->eager.bytes[d]);
	puts(")");
}

void inputs_print_model(const struct inputs *b,
			const struct tape_comm_model *model)
{
	char file[1000];

	if (model->own_transit)
		printf("model              the function transit of %s\n",
		       tape_clean(b->own_path, file, sizeof file));
	for (int d = 0; !model->own_transit && d < TAPE_DISTANCES; d++) {
		const struct tape_comm_line *line = model->line[d];
		const struct tape_curve *said = b->said.model.transit[d];

		if (line[0].fitted || said[0].n) {
			printf("model %-12s ", tape_distance_name[d]);
			text_curve(b, model, d, 0);
		}
		if (line[1].fitted || said[1].n) {
			printf("  %-4s %-*s", tape_distance_name[d],
			       strlen(tape_distance_name[d]) > 4 ? 11 : 12,
			       "rendezvous");
			text_curve(b, model, d, 1);
		}
	}
}

static void json_line(const struct inputs *b,
		      const struct tape_comm_model *model, int d,
		      int rendezvous)
{
	static const char *const rates[] = {
		[TAPE_RATE_NONE] = "none", [TAPE_RATE_FITTED] = "sizes",
		[TAPE_RATE_PROTOCOL] = "protocol",
		[TAPE_RATE_DISTANCE] = "distance" };
	struct tape_comm_line line = inputs_model_line(b, model, d, rendezvous);

	printf("\"beta_ns\":%.17g,\"tau_ns\":%.17g,\"messages\":%" PRIu64,
	       line.beta_ns, line.tau_ns, line.messages);
	if (line.fitted)
		printf(",\"fit\":{\"sizes\":%d,\"off\":%.4g,\"rate_of\":\"%s\""
		       ",\"suspect\":%s}", line.classes, line.off,
		       rates[line.rate], line.suspect ? "true" : "false");
}

void inputs_print_model_json(const struct inputs *b,
			     const struct tape_comm_model *model)
{
	int given = b->files.n > 0;
	const char *comma = "";
	char file[1000];

	printf("\"model\":{");
	for (int d = 0; d < TAPE_DISTANCES; d++) {
		/* the transports always */
		if (!b->far.has[d] &&
		    (int)tape_transport((enum tape_distance)d) != d)
			continue;
		printf("%s\"%s\":{", comma, tape_distance_name[d]);
		comma = ",";
		json_line(b, model, d, 0);
		printf(",\"eager_bytes\":%" PRIu64 ",\"rendezvous\":{",
		       b->eager.bytes[d]);
		json_line(b, model, d, 1);
		printf("}}");
	}
	printf(",\"given\":%s", given ? "true" : "false");
	if (given) {
		inputs_file_names(b, file, sizeof file);
		printf(",\"file\":");
		tape_json_string(file);
	}
	printf("}");
}
