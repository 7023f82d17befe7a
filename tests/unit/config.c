/* The settings: what tape.conf and the environment may say, and what not. */
#include <stdlib.h>

#include "config.h"
#include "folder.h"
#include "tap.h"

static struct tape_config c;
static char error[1200];

/* Reads the settings with that line in a file; 0 when it is taken. */
static int with_line(const char *line)
{
	const char *path = folder_path("tape.conf", NULL);

	folder_write(path, line, strlen(line));
	setenv("TAPE_CONF", path, 1);
	*error = '\0';
	return tape_config_read(&c, error, sizeof error);
}

/* Is the line refused, in one sentence that names the file's line? */
static int refused(const char *line, const char *word)
{
	return with_line(line) && strstr(error, "tape.conf:1: ") &&
	       strstr(error, word) && !strchr(error, '\n');
}

static void defaults(void)
{
	ok(!with_line("# nothing\n") && c.rounds == 300 && c.arrived &&
		   c.wanted[TAPE_CALL_MPI_Send] && !c.n_counters &&
		   !c.counters_at_regions,
	   "the defaults: no counters");
}

static void sampling(void)
{
	ok(!with_line("# nothing\n") && c.sampling == TAPE_SAMPLING_ON &&
		   c.sampling == (TAPE_SAMPLING_BEFORE | TAPE_SAMPLING_AFTER) &&
		   c.sample_ms == 20,
	   "sampling: both phases, 20 ms a pair");
	ok(!with_line("sampling = after\nsample_ms = 60000\nrounds = 3\n") &&
		   c.sampling == TAPE_SAMPLING_AFTER && c.sample_ms == 60000 &&
		   c.rounds == 3,
	   "sampling = after");
	ok(!with_line("sampling = before\n") &&
		   c.sampling == TAPE_SAMPLING_BEFORE &&
		   !with_line("sampling = off\n") &&
		   c.sampling == TAPE_SAMPLING_OFF,
	   "before, off");
	ok(refused("sampling = never\n", "on, off, before or after") &&
		   refused("sample_ms = 0\n", "milliseconds from 1 to 60000") &&
		   refused("sample_ms = 60001\n", "milliseconds") &&
		   refused("period = 500\n", "unknown setting"),
	   "what is wrong is refused");
}

static void streaming(void)
{
	ok(!with_line("# nothing\n") && c.stream == TAPE_STREAM_OFF &&
	       c.stream_bytes == 3u << 20 && !c.stream_drops && !c.stream_stops,
	   "stream: off, 3 MiB, wait, files");
	ok(!with_line("stream = node\nstream_bytes = 196608\n"
		      "stream_full = drop\nstream_lost = stop\n") &&
	       c.stream == TAPE_STREAM_NODE && c.stream_bytes == 196608 &&
	       c.stream_drops && c.stream_stops,
	   "stream = node, and what belongs to it");
	ok(refused("stream = yes\n", "off, node or mpi") &&
	       refused("stream_bytes = 196607\n", "bytes from 196608") &&
	       refused("stream_full = no\n", "wait or drop") &&
	       refused("stream_lost = \n", "files or stop"),
	   "what is wrong of it is refused");
}

static void network(void)
{
	char longest[4096] = "network = ";

	ok(!with_line("# nothing\n") && !*c.network, "no file of switches");
	ok(!with_line("network = a/b c\n") && !strcmp(c.network, "a/b c"),
	   "a name");
	setenv("TAPE_NETWORK", "", 1);
	ok(!with_line("network = a/b c\n") && !*c.network,
	   "the variable takes it away");
	unsetenv("TAPE_NETWORK");
	memset(longest + 10, 'x', 3072);
	ok(refused(longest, "a file name"), "a name that is too long");
}

static void counters(void)
{
	ok(!with_line("counters = cpu, perf::PAGE-FAULTS minor_faults,,\n") &&
		   c.n_counters == 3 && !strcmp(c.counters[0], "cpu") &&
		   !strcmp(c.counters[1], "perf::PAGE-FAULTS") &&
		   !strcmp(c.counters[2], "minor_faults"),
	   "names, separated by commas and blanks, in their order");
	ok(!with_line("counters = cpu\ncounters = none\n") && !c.n_counters,
	   "none takes those before it away");
	ok(!with_line("counters =\n") && !c.n_counters, "so does nothing");
	ok(refused("counters = cpu, cycles\n",
		   "counters = cpu, cycles: expected none, or at most 16"),
	   "a small name that is none of ours");
	ok(refused("counters = max_rss cpu max_rss\n", "different"),
	   "a name twice");
	ok(!with_line("counters = A B C D E F G H I J K L M N O P\n") &&
		   c.n_counters == TAPE_COUNTERS_MAX,
	   "sixteen names");
	ok(refused("counters = A B C D E F G H I J K L M N O P Q\n", "16"),
	   "seventeen");
	ok(refused("packing = item\n", "call or message"),
	   "packing, another word");
	ok(!with_line("packing = message\n") && c.packing_summed &&
		   !with_line("packing = call\n") && !c.packing_summed,
	   "packing = message, call");
	ok(refused("counters_at = calls\n", "events or regions"),
	   "counters_at, another word");
	ok(!with_line("counters_at = regions\n") && c.counters_at_regions,
	   "counters_at = regions");
	ok(tape_config_known("counters", 8) &&
		   tape_config_known("counters_at", 11) &&
		   !tape_config_known("counters_at", 9),
	   "both are known by name");
}

static void long_name(void)
{
	char line[300] = "counters = ";
	size_t at = strlen(line);

	memset(line + at, 'Y', TAPE_COUNTER_NAME - 1);
	strcpy(line + at + TAPE_COUNTER_NAME - 1, "\n");
	ok(!with_line(line) &&
		   strlen(c.counters[0]) == TAPE_COUNTER_NAME - 1,
	   "the longest name");
	strcpy(line + at + TAPE_COUNTER_NAME - 1, "Y\n");
	ok(refused(line, "counters = YYY"), "one that is longer");
}

static void names(void)
{
	ok(tape_config_counter("cpu") == TAPE_BUILTIN_CPU &&
		   tape_config_counter("max_rss") == TAPE_BUILTIN_MAX_RSS &&
		   tape_config_counter("PAPI_TOT_INS") == TAPE_BUILTIN_COUNT &&
		   tape_config_counter("sde:::a::b") == TAPE_BUILTIN_COUNT &&
		   tape_config_counter("cpu2") < 0,
	   "ours, PAPI's, and neither");
}

static void environment(void)
{
	setenv("TAPE_COUNTERS", "major_faults", 1);
	ok(!with_line("counters = cpu minor_faults\n") && c.n_counters == 1 &&
		   !strcmp(c.counters[0], "major_faults"),
	   "the environment wins over the file");
	setenv("TAPE_COUNTERS", "majorfaults", 1);
	ok(with_line("") && !strncmp(error, "counters = majorfaults: ", 24),
	   "and is refused by its own name");
	unsetenv("TAPE_COUNTERS");
}

static void test_noise(void)
{
	ok(!with_line("# nothing\n") && !c.noise.percent &&
		   !with_line("noise = 7:20:5\nnoise = off\n") &&
		   !c.noise.percent,
	   "noise: none by default");
	ok(!with_line("noise = 7\n") && c.noise.seed == 7 &&
		   c.noise.mean_us == 100 && c.noise.percent == 10 &&
		   !with_line("noise = 9223372036854775807:1000000\n") &&
		   c.noise.seed == INT64_MAX && c.noise.mean_us == 1000000 &&
		   c.noise.percent == 10 && !with_line("noise = 0:1:100\n") &&
		   !c.noise.seed && c.noise.mean_us == 1 &&
		   c.noise.percent == 100,
	   "noise = SEED:MEAN:SHARE");
	ok(refused("noise =\n", "SEED:MEAN:SHARE") &&
		   refused("noise = -1\n", "SEED") &&
		   refused("noise = 1:0\n", "1 to 1000000") &&
		   refused("noise = 1:1:101\n", "1 to 100") &&
		   refused("noise = 1:1:0\n", "percent") &&
		   refused("noise = 1:\n", "SEED") &&
		   refused("noise = 1:2:3:4\n", "SEED") &&
		   refused("noise = 1 2\n", "SEED"),
	   "what is wrong is refused");
}

int main(void)
{
	folder_make();
	atexit(folder_remove);
	defaults();
	sampling();
	streaming();
	network();
	counters();
	test_noise();
	long_name();
	names();
	environment();
	return done();
}
