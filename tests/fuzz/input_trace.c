/* A trace directory of an input; see input_trace.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base.h"
#include "input_trace.h"
#include "input.h"

static const struct file {
	char kind;
	const char *name;
	unsigned rank, thread;
} files[] = {
	{ 'm', "meta", 0, 0 },	   { '0', "rank.0", 0, 0 },
	{ '1', "rank.1", 0, 0 },   { 'c', "clocks", 0, 0 },
	{ 'a', "flow.0.0", 0, 0 }, { 't', "flow.0.1", 0, 1 },
	{ 'b', "flow.1.0", 1, 0 }, { 'p', "sites", 0, 0 },
};
#define FILES (sizeof files / sizeof *files)

static char folder[64];

static void remove_folder(void)
{
	fuzz_folder_remove(folder);
}

void fuzz_trace_folder(void)
{
	fuzz_folder(folder, sizeof folder);
	atexit(remove_folder);
}

/*
 * A rank costs an open, whether it left a file or not: tens of thousands of
 * them are slow, and show nothing that a hundred do not.
 */
static int too_slow(const struct fuzz_part *p)
{
	static const char key[] = "\nranks ";
	const unsigned char *at = p->p, *end = p->p + p->n;
	unsigned long n = 0;

	at = memmem(at, p->n, key, sizeof key - 1);
	if (!at)
		return 0;
	for (at += sizeof key - 1; at < end && *at == '0'; at++)
		;
	for (; at < end && *at >= '0' && *at <= '9' && n < 1000000; at++)
		n = 10 * n + (unsigned)(*at - '0');
	return n > 256 && n <= 1u << 16;
}

static const struct file *file_of(char kind)
{
	for (size_t i = 0; i < FILES; i++)
		if (files[i].kind == kind)
			return &files[i];
	return NULL;
}

/* What the input leaves out. */
static void base_file(const struct file *f, unsigned options)
{
	int global = f->kind == 'm' && options & FUZZ_GLOBAL;
	const char *text = fuzz_base(global ? 'g' : f->kind);

	fuzz_file(folder, f->name, text, strlen(text));
}

/* Writes the parts; 0 when the trace is worth reading. */
static int write_files(const struct fuzz_part *parts, size_t n,
		       unsigned options, struct fuzz_flow *flow)
{
	unsigned written = 0;
	size_t i = 1;

	while (i < n) {
		const struct file *f = file_of(parts[i].kind);
		const struct fuzz_part *p = &parts[i++];

		if (!f)
			continue;
		if (f->kind == 'm' && too_slow(p))
			return -1;
		written |= 1u << (f - files);
		if (strncmp(f->name, "flow", 4)) {
			fuzz_file(folder, f->name, p->p, p->n);
			continue;
		}
		i = fuzz_make_flow(parts, n, i - 1, options, f->rank,
				   f->thread, flow);
		fuzz_file(folder, f->name, flow->bytes, flow->n);
	}
	for (i = 0; i < FILES; i++) {
		char path[128];

		if (written & 1u << i)
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
		unlink(path);
		if (i < 4 && !(options & FUZZ_BARE))
			base_file(&files[i], options);
	}
	return 0;
}

const char *fuzz_trace_write(const unsigned char *data, size_t n)
{
	static struct fuzz_flow flow;
	struct fuzz_part parts[FUZZ_PARTS];
	size_t parts_n = fuzz_split(data, n, parts);

	return write_files(parts, parts_n, fuzz_options(&parts[0]), &flow)
		       ? NULL
		       : folder;
}
