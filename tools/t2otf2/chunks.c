/* Memory for OTF2's library; see chunks.h. */
#include <stdlib.h>
#include <sys/resource.h>

#include "chunks.h"
#include "tool.h"

/* Most files that are open for other purposes: the trace, definitions. */
enum { OTHER_FILES = 64 };

/* A free chunk. It is reused: a new chunk costs more, as all of it is written.
 */
struct spare {
	void *chunk; /* or NULL */
	uint64_t bytes;
};

struct chunks {
	size_t files; /* number of files that can still be opened */
	struct spare events, definitions; /* for the next writer */
};

/* The chunks of a writer. The first n are in use. */
struct kept {
	void **of;
	size_t n, made;
	uint64_t bytes; /* of each chunk */
	int open;       /* its file may be open */
};

static struct spare *get_spare(struct chunks *c, OTF2_FileType type)
{
	return type == OTF2_FILETYPE_EVENTS ? &c->events : &c->definitions;
}

/* Returns 1 if the writer can write its data: its file is open, or can be. */
static int can_write(struct chunks *c, struct kept *k)
{
	if (!k->open && c->files) {
		c->files--;
		k->open = 1;
	}
	return k->open;
}

static int make_chunk(struct kept *k, struct spare *s, uint64_t bytes)
{
	void **of = realloc(k->of, (k->n + 1) * sizeof *of);

	if (!of)
		return -1;
	k->of = of;
	k->bytes = bytes;
	if (s->chunk && s->bytes == bytes) {
		k->of[k->n] = s->chunk;
		s->chunk = NULL;
	} else {
		k->of[k->n] = malloc(bytes);
	}
	k->made += k->of[k->n] != NULL;
	return k->of[k->n] ? 0 : -1;
}

static void *allocate_chunk(void *own, OTF2_FileType type,
			    OTF2_LocationRef location, void **data,
			    uint64_t bytes)
{
	struct kept *k = *data;

	(void)location;
	if (!k)
		*data = k = calloc(1, sizeof *k);
	if (!k || (type == OTF2_FILETYPE_EVENTS && k->n && can_write(own, k)) ||
	    (k->n == k->made && make_chunk(k, get_spare(own, type), bytes)))
		return NULL;
	return k->of[k->n++];
}

static void free_chunks(void *own, OTF2_FileType type,
			OTF2_LocationRef location, void **data, bool final)
{
	struct chunks *c = own;
	struct spare *s = get_spare(c, type);
	struct kept *k = *data;

	(void)location;
	if (!k)
		return;
	k->n = 0;
	/* one chunk is enough for a writer that can write */
	while (k->made > 1)
		free(k->of[--k->made]);
	if (!final)
		return;
	c->files += k->open != 0;
	if (k->made == 1) {
		free(s->chunk);
		*s = (struct spare){ k->of[0], k->bytes };
	}
	free(k->of);
	free(k);
	*data = NULL;
}

/* Raises the limit of open files. Returns the number of files for events. */
static size_t raise_file_limit(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l))
		return 0;
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_NOFILE, &l);
	if (getrlimit(RLIMIT_NOFILE, &l) || l.rlim_cur < OTHER_FILES)
		return 0;
	return l.rlim_cur - OTHER_FILES;
}

struct chunks *chunks_new(OTF2_Archive *archive)
{
	static const OTF2_MemoryCallbacks callbacks = {allocate_chunk,
						       free_chunks};
	struct chunks *c = tape_must(calloc(1, sizeof *c));

	c->files = raise_file_limit();
	if (OTF2_Archive_SetMemoryCallbacks(archive, &callbacks, c))
		tape_die(TAPE_FAILED, "OTF2: memory buffers are not accepted");
	return c;
}

void chunks_free(struct chunks *c)
{
	free(c->events.chunk);
	free(c->definitions.chunk);
	free(c);
}
