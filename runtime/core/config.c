/* Reads the settings; see config.h. Runs once, before any event. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "number_text.h"
#include "compiler.h"
#include "config.h"
#include "error.h"
#include "settings_of_job.h"

/* Read in MPI_Init, on a stack that is large enough. */
TAPE_ON_OWN_STACK

/* Where a value came from, for the error's sentence. */
struct origin {
	const char *file; /* NULL: the environment */
	int line;
	const char *key;
};

struct setting {
	const char *key;
	int (*set)(struct tape_config *, const struct setting *, const char *);
	long lo, hi;      /* range of a number */
	const char *what; /* what is accepted, for the sentence */
};

static int parse_number(const struct setting *s, const char *value, long *out)
{
	int64_t n;

	if (tape_parse_whole(value, s->lo, s->hi, &n, NULL))
		return TAPE_ERANGE;
	*out = (long)n;
	return 0;
}

static int find_word(const char *value, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(value, words[i]))
			return i;
	return -1;
}

static int on_off(const char *value)
{
	static const char *const words[] = { "off", "on", NULL };

	return find_word(value, words);
}

static int set_trace(struct tape_config *c, const struct setting *s,
		     const char *value)
{
	(void)s;
	if (!*value || strlen(value) >= sizeof c->trace)
		return TAPE_ERANGE;
	strcpy(c->trace, value);
	return 0;
}

/* Without a value there is none. */
static int set_network(struct tape_config *c, const struct setting *s,
		       const char *value)
{
	(void)s;
	if (strlen(value) >= sizeof c->network)
		return TAPE_ERANGE;
	strcpy(c->network, value);
	return 0;
}

static int set_replay(struct tape_config *c, const struct setting *s,
		      const char *value)
{
	(void)s;
	if (strlen(value) >= sizeof c->replay)
		return TAPE_ERANGE;
	strcpy(c->replay, value);
	return 0;
}

/* It names folders as well. */
static int set_partition(struct tape_config *c, const struct setting *s,
			 const char *value)
{
	size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-.");

	(void)s;
	if (n >= sizeof c->partition || value[n] || *value == '.')
		return TAPE_ERANGE;
	strcpy(c->partition, value);
	return 0;
}

/* "off", or a seed with the mean delay, us, and the share of calls, percent. */
static int set_noise(struct tape_config *c, const struct setting *s,
		     const char *value)
{
	static const struct {
		int64_t least, most;
	} ranges[] = {{0, INT64_MAX}, {1, 1000000}, {1, 100}};
	int64_t parts[] = {0, 100, 10};
	const char *end = value;

	(void)s;
	c->noise = (struct tape_noise){0};
	if (!strcmp(value, "off"))
		return 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (i && *end != ':')
			break;
		if (tape_parse_whole(end + (i > 0), ranges[i].least,
				     ranges[i].most, &parts[i], &end))
			return TAPE_ERANGE;
	}
	if (*end)
		return TAPE_ERANGE;
	c->noise = (struct tape_noise){.seed = (uint64_t)parts[0],
				       .mean_us = (uint32_t)parts[1],
				       .percent = (uint32_t)parts[2]};
	return 0;
}

static int set_number(struct tape_config *c, const struct setting *s,
		      const char *value)
{
	long n;

	if (parse_number(s, value, &n))
		return TAPE_ERANGE;
	if (!strcmp(s->key, "window"))
		c->window_bytes = (uint64_t)n << 20;
	else if (!strcmp(s->key, "max_size"))
		c->max_bytes = (uint64_t)n << 20;
	else if (!strcmp(s->key, "stream_bytes"))
		c->stream_bytes = (uint64_t)n;
	else if (!strcmp(s->key, "rounds"))
		c->rounds = (uint32_t)n;
	else if (!strcmp(s->key, "sample_ms"))
		c->sample_ms = (uint32_t)n;
	else if (!strcmp(s->key, "max_rate"))
		c->max_rate = (uint32_t)n;
	else if (!strcmp(s->key, "replay_wait"))
		c->replay_wait = (uint32_t)n;
	else
		c->reference = (int32_t)n;
	return 0;
}

static const char *const alpha[] = { "calibrated", "measured", "in-situ",
				     NULL };

const char *tape_config_alpha(const struct tape_config *c)
{
	return alpha[c->measured ? 1 : c->in_situ ? 2 : 0];
}

static int set_word(struct tape_config *c, const struct setting *s,
		    const char *value)
{
	static const char *const sampling[] = {
		[TAPE_SAMPLING_OFF] = "off",
		[TAPE_SAMPLING_BEFORE] = "before",
		[TAPE_SAMPLING_AFTER] = "after",
		[TAPE_SAMPLING_ON] = "on", NULL
	};
	static const char *const clock[] = { "auto", "tsc", "monotonic_raw",
					     NULL };
	static const char *const at[] = { "events", "regions", NULL };
	static const char *const packing[] = { "call", "message", NULL };
	static const char *const stream[] = {[TAPE_STREAM_OFF] = "off",
					     [TAPE_STREAM_NODE] = "node",
					     [TAPE_STREAM_MPI] = "mpi",
					     NULL};
	static const char *const layout[] = {"rank", "node", NULL};
	static const char *const full[] = {"wait", "drop", NULL};
	static const char *const lost[] = {"files", "stop", NULL};
	int n;

	if (!strcmp(s->key, "sampling")) {
		if ((n = find_word(value, sampling)) >= 0)
			c->sampling = (enum tape_sampling)n;
	} else if (!strcmp(s->key, "clock")) {
		if ((n = find_word(value, clock)) >= 0)
			c->clock = (enum tape_clock_source)n;
	} else if (!strcmp(s->key, "counters_at")) {
		if ((n = find_word(value, at)) >= 0)
			c->counters_at_regions = (uint32_t)n;
	} else if (!strcmp(s->key, "alpha")) {
		if ((n = find_word(value, alpha)) >= 0)
			c->measured = n == 1, c->in_situ = n == 2;
	} else if (!strcmp(s->key, "stream")) {
		if ((n = find_word(value, stream)) >= 0)
			c->stream = (enum tape_stream_mode)n;
	} else if (!strcmp(s->key, "stream_full")) {
		if ((n = find_word(value, full)) >= 0)
			c->stream_drops = (uint32_t)n;
	} else if (!strcmp(s->key, "stream_lost")) {
		if ((n = find_word(value, lost)) >= 0)
			c->stream_stops = (uint32_t)n;
	} else if (!strcmp(s->key, "stream_keep")) {
		if ((n = on_off(value)) >= 0)
			c->stream_keep = (uint32_t)n;
	} else if (!strcmp(s->key, "layout")) {
		if ((n = find_word(value, layout)) >= 0)
			c->shared = (uint32_t)n;
	} else if (!strcmp(s->key, "packing")) {
		if ((n = find_word(value, packing)) >= 0)
			c->packing_summed = (uint32_t)n;
	} else {
		if ((n = on_off(value)) >= 0)
			c->arrived = (uint32_t)n;
	}
	return n < 0 ? TAPE_ERANGE : 0;
}

static int set_record(struct tape_config *c, const struct setting *s,
		      const char *value)
{
	static const char *const words[] = {[TAPE_RECORD_EVENTS] = "events",
					    [TAPE_RECORD_ORDER] = "order",
					    [TAPE_RECORD_BOTH] = "both",
					    NULL};
	int n = find_word(value, words);

	(void)s;
	if (n < 0)
		return TAPE_ERANGE;
	c->record = (enum tape_recorded)n;
	return 0;
}

/* The field of a list of patterns. */
static char *list_of(struct tape_config *c, const char *key)
{
	return !strcmp(key, "groups")  ? c->group_list
	       : !strcmp(key, "calls") ? c->call_list
	       : !strcmp(key, "regions") ? c->regions
	       : !strcmp(key, "marks") ? c->marks
				       : c->files;
}

static int set_list(struct tape_config *c, const struct setting *s,
		    const char *value)
{
	char word[TAPE_LIST_BYTES];

	if (!tape_list_is_valid(value) ||
	    (!strcmp(s->key, "groups") &&
	     tape_filter_groups(value, &c->groups)) ||
	    (!strcmp(s->key, "calls") &&
	     tape_filter_unknown(value, word, sizeof word)))
		return TAPE_ERANGE;
	strcpy(list_of(c, s->key), value);
	return 0;
}

int tape_config_counter(const char *name)
{
	static const char *const ours[] = {
		[TAPE_BUILTIN_CPU] = "cpu",
		[TAPE_BUILTIN_MINOR_FAULTS] = "minor_faults",
		[TAPE_BUILTIN_MAJOR_FAULTS] = "major_faults",
		[TAPE_BUILTIN_VOLUNTARY_SWITCHES] = "voluntary_switches",
		[TAPE_BUILTIN_INVOLUNTARY_SWITCHES] = "involuntary_switches",
		[TAPE_BUILTIN_MAX_RSS] = "max_rss",
		[TAPE_BUILTIN_COUNT] = NULL
	};
	int n = find_word(name, ours);

	if (n < 0)
		for (; *name; name++)
			if (*name == ':' || isupper((unsigned char)*name))
				n = TAPE_BUILTIN_COUNT;
	return n;
}

/* "none", or different names separated by commas or blanks. */
static int set_counters(struct tape_config *c, const struct setting *s,
			const char *value)
{
	(void)s;
	c->n_counters = 0;
	if (!strcmp(value, "none"))
		return 0;
	value += strspn(value, ", ");
	while (*value) {
		char *name = c->counters[c->n_counters];
		size_t n = strcspn(value, ", ");

		if (c->n_counters == TAPE_COUNTERS_MAX ||
		    n >= TAPE_COUNTER_NAME)
			return TAPE_ERANGE;
		memcpy(name, value, n);
		name[n] = '\0';
		if (tape_config_counter(name) < 0)
			return TAPE_ERANGE;
		for (uint32_t k = 0; k < c->n_counters; k++)
			if (!strcmp(c->counters[k], name))
				return TAPE_ERANGE;
		c->n_counters++;
		value += n;
		value += strspn(value, ", ");
	}
	return 0;
}

#define PATTERNS                                                               \
	"up to 64 patterns, each with - to take away what matches, of names "  \
	"of "

static const struct setting settings[] = {
    {"trace", set_trace, 0, 0, "a directory name"},
    {"window", set_number, 1, 4096, "MiB from 1 to 4096"},
    {"max_size", set_number, 0, 1L << 30, "MiB from 1, or 0 for no limit"},
    {"sampling", set_word, 0, 0, "on, off, before or after"},
    {"rounds", set_number, 1, 1000000, "a number from 1 to 1000000"},
    {"sample_ms", set_number, 1, 60000, "milliseconds from 1 to 60000"},
    {"reference", set_number, 0, INT_MAX, "a rank"},
    {"arrived", set_word, 0, 0, "on or off"},
    {"alpha", set_word, 0, 0, "in-situ, calibrated or measured"},
    {"packing", set_word, 0, 0, "call or message"},
    {"stream_bytes", set_number, 196608, 1L << 40,
     "bytes from 196608 to 1099511627776"},
    {"stream_full", set_word, 0, 0, "wait or drop"},
    {"stream_lost", set_word, 0, 0, "files or stop"},
    {"record", set_record, 0, 0, "events, order or both"},
    {"replay", set_replay, 0, 0, "a trace directory"},
    {"replay_wait", set_number, 1, 86400, "seconds from 1 to 86400"},
    {"layout", set_word, 0, 0, "rank or node"},
    {"network", set_network, 0, 0, "a file name"},
    {"clock", set_word, 0, 0, "auto, tsc or monotonic_raw"},
    {"stream", set_word, 0, 0, "off, node or mpi"},
    {"stream_keep", set_word, 0, 0, "on or off"},
    {"partition", set_partition, 0, 0,
     "a name of at most 63 letters, digits, and . _ + -"},
    {"groups", set_list, 0, 0,
     "all, none, or a list, each with - to take it away, of"},
    {"calls", set_list, 0, 0, PATTERNS "calls"},
    {"regions", set_list, 0, 0, PATTERNS "regions"},
    {"marks", set_list, 0, 0, PATTERNS "regions"},
    {"files", set_list, 0, 0, PATTERNS "files"},
    {"max_rate", set_number, 0, 1000000000,
     "events per second from 1 to 1000000000, or 0 for no limit"},
    {"noise", set_noise, 0, 0,
     "off, or SEED:MEAN:SHARE: a number, microseconds from 1 to 1000000, "
     "percent from 1 to 100"},
    {"counters", set_counters, 0, 0,
     "none, or at most 16 different names: cpu, minor_faults, "
     "major_faults, voluntary_switches, involuntary_switches, max_rss, "
     "and events of PAPI, such as PAPI_TOT_INS or perf::PAGE-FAULTS"},
    {"counters_at", set_word, 0, 0, "events or regions"},
};

__attribute__((format(printf, 4, 5))) static int
reject_setting(char *error, size_t n, const struct origin *o,
	       const char *format, ...)
{
	va_list ap;
	int used = 0;

	if (o->file)
		used = snprintf(error, n, "%s:%d: ", o->file, o->line);
	if (used < 0 || (size_t)used >= n)
		return TAPE_ERANGE;
	va_start(ap, format);
	vsnprintf(error + used, n - (size_t)used, format, ap);
	va_end(ap);
	return TAPE_ERANGE;
}

static int apply_setting(struct tape_config *c, const struct origin *o,
			 const char *value, char *error, size_t n)
{
	char word[TAPE_LIST_BYTES];

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		const struct setting *s = &settings[i];
		int groups = !strcmp(s->key, "groups");

		if (strcmp(s->key, o->key))
			continue;
		if (!s->set(c, s, value))
			return 0;
		/* of many patterns, which is the wrong one */
		if (!strcmp(s->key, "calls") && tape_list_is_valid(value) &&
		    tape_filter_unknown(value, word, sizeof word))
			return reject_setting(error, n, o,
					      "calls: %.100s is not a call; "
					      "tape-calls(7) lists the calls",
					      word);
		return reject_setting(
		    error, n, o, "%s = %.100s: expected %s%s%s", o->key, value,
		    s->what, groups ? " " : "",
		    groups ? tape_filter_group_names(word, sizeof word) : "");
	}
	return reject_setting(error, n, o, "unknown setting \"%.100s\"",
			      o->key);
}

static char *trim_blanks(char *s)
{
	char *end;

	while (isspace((unsigned char)*s))
		s++;
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return s;
}

/* Longer files are none of settings. */
#define MOST_BYTES (1 << 20)

/*
 * Opens a file of settings without waiting for anything. One that nobody named
 * but that lay in the current directory is the choice of another user unless it is
 * theirs whose process this is, or root's.
 */
static FILE *open_settings_file(const struct origin *o, int named, char *error,
				size_t n)
{
	int fd = open(o->file, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	const char *why = NULL;
	FILE *f = NULL;
	struct stat s;

	if (fd < 0 || fstat(fd, &s))
		why = strerror(errno);
	else if (!S_ISREG(s.st_mode))
		why = "is not a plain file";
	else if (s.st_size > MOST_BYTES)
		why = "is larger than 1 MiB";
	else if (!named && s.st_uid != geteuid() && s.st_uid)
		why = "belongs to another user; to use it, name it with -c or "
		      "TAPE_CONF";
	else if (!named && (s.st_mode & S_IWOTH))
		why = "can be written by all users; to use it, name it with -c "
		      "or TAPE_CONF";
	else if (!(f = fdopen(fd, "r")))
		why = strerror(errno);
	if (why)
		snprintf(error, n, "%s: %s", o->file, why);
	if (why && fd >= 0)
		close(fd);
	return f;
}

static int read_settings_file(struct tape_config *c, const char *path,
			      int named, char *error, size_t n)
{
	struct origin o = { path, 0, NULL };
	FILE *f = open_settings_file(&o, named, error, n);
	char text[4096];
	size_t left = MOST_BYTES; /* it may grow */
	int rc = 0;

	if (!f)
		return TAPE_ERANGE;
	while (!rc && left && fgets(text, sizeof text, f)) {
		size_t length = strlen(text);
		char *key, *value;

		left -= length < left ? length : left;
		o.line++;
		text[strcspn(text, "#")] = '\0';
		key = trim_blanks(text);
		if (!*key)
			continue;
		if (!(value = strchr(key, '='))) {
			rc = reject_setting(error, n, &o,
					    "expected setting = value");
			break;
		}
		*value++ = '\0';
		o.key = trim_blanks(key);
		rc = apply_setting(c, &o, trim_blanks(value), error, n);
	}
	fclose(f);
	return rc;
}

int tape_config_read(struct tape_config *c, char *error, size_t n)
{
	const char *path = tape_settings_value("TAPE_CONF");
	int rc = 0;

	memset(c, 0, sizeof *c);
	c->window_bytes = 16u << 20;
	c->stream_bytes = 3u << 20;
	c->sampling = TAPE_SAMPLING_ON;
	c->rounds = 300;
	c->sample_ms = 20;
	c->replay_wait = 60;
	c->arrived = c->in_situ = 1;
	tape_filter_groups("all", &c->groups);
	if (path)
		rc = read_settings_file(c, path, 1, error, n);
	else if (!access("tape.conf", F_OK))
		rc = read_settings_file(c, "tape.conf", 0, error, n);
	for (size_t i = 0; !rc && i < sizeof settings / sizeof *settings; i++) {
		char name[64] = "TAPE_";
		struct origin o = { NULL, 0, settings[i].key };
		const char *value;

		for (size_t j = 0; settings[i].key[j]; j++)
			name[5 + j] = (char)toupper(
				(unsigned char)settings[i].key[j]);
		if ((value = tape_settings_value(name)))
			rc = apply_setting(c, &o, value, error, n);
	}
	if (c->record == TAPE_RECORD_ORDER) {
		strcpy(c->group_list, "none");
		*c->call_list = '\0';
		tape_filter_groups(c->group_list, &c->groups);
	}
	tape_filter_calls(c->groups, c->call_list, c->wanted);
	return rc;
}

int tape_config_known(const char *key, size_t n)
{
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if (strlen(settings[i].key) == n &&
		    !strncmp(settings[i].key, key, n))
			return 1;
	return 0;
}
TAPE_ON_OWN_STACK_END
