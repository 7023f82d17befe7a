/* Chunks on their way into a file; see chunk_out.h. */
#include "chunk_out.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tool.h"

/*
 * Of more flows than that each has a piece of a chunk in memory. What a flow
 * has grows to that as it fills.
 */
enum { MANY = 512, PIECE = 4096, FIRST = 512 };

enum { TWO_RECORDS = 2 * TAPE_RECORD_MAX };

static void begin_piece(struct tape_chunk_out *c)
{
	size_t left = TAPE_CHUNK_BYTES - c->written;

	c->p = c->piece;
	c->full = c->piece + (left < c->room ? left : c->room) - TWO_RECORDS;
}

static void begin_chunk(struct tape_chunk_out *c)
{
	c->written = TAPE_CHUNK_HEADER;
	begin_piece(c);
}

void tape_chunk_out_open(struct tape_chunk_out *c, struct tape_output *o,
			 const char *name)
{
	int number;

	memset(c, 0, sizeof *c);
	c->o = o;
	snprintf(c->name, sizeof c->name, "%s", name);
	c->fd = tape_output_flow(o, name, &number);
	c->most = number > MANY ? PIECE : TAPE_CHUNK_BYTES - TAPE_CHUNK_HEADER;
	c->room = FIRST;
	c->piece = tape_must(malloc(c->room));
	begin_chunk(c);
}

const char *tape_chunk_out_path(const struct tape_chunk_out *c)
{
	return tape_output_path(c->o, c->name);
}

/* Writes both parts, the second after the first, n bytes in all. */
static void write_at(struct tape_chunk_out *c, size_t at, struct iovec part[2])
{
	off_t to = (off_t)c->sequence * TAPE_CHUNK_BYTES + (off_t)at;
	int fd = c->fd, i = 0;
	ssize_t got;

	if (c->error)
		return;
	if (fd < 0)
		fd = tape_output_again(c->o, c->name);
	while (fd >= 0 && i < 2) {
		if (!part[i].iov_len) {
			i++;
			continue;
		}
		got = pwritev(fd, part + i, 2 - i, to);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			c->error = got ? errno : EIO;
			break;
		}
		to += got;
		for (; i < 2 && (size_t)got >= part[i].iov_len; i++)
			got -= (ssize_t)part[i].iov_len;
		if (i < 2) {
			part[i].iov_base = (char *)part[i].iov_base + got;
			part[i].iov_len -= (size_t)got;
		}
	}
	if (fd < 0 || (fd != c->fd && close(fd) && !c->error))
		c->error = errno;
}

/* The piece to the file; the chunk goes on. */
static void put_piece(struct tape_chunk_out *c)
{
	size_t n = (size_t)(c->p - c->piece);
	struct iovec part[2] = {{c->piece, n}, {NULL, 0}};

	if (!c->sum)
		c->sum = tape_checksum_new();
	if (!c->sum) {
		c->error = ENOMEM;
	} else {
		if (c->written == TAPE_CHUNK_HEADER)
			tape_checksum_begin(c->sum, c->sequence);
		tape_checksum_add(c->sum, c->piece, n);
	}
	write_at(c, c->written, part);
	c->written += n;
	begin_piece(c);
}

uint32_t tape_chunk_out_used(const struct tape_chunk_out *c)
{
	return (uint32_t)(c->written - TAPE_CHUNK_HEADER) +
	       (uint32_t)(c->p - c->piece);
}

/* A piece that was short becomes longer. */
static void grow_piece(struct tape_chunk_out *c)
{
	size_t left = TAPE_CHUNK_BYTES - c->written,
	       used = (size_t)(c->p - c->piece);

	c->room = 4 * c->room < c->most ? 4 * c->room : c->most;
	c->piece = tape_must(realloc(c->piece, c->room));
	c->p = c->piece + used;
	c->full = c->piece + (left < c->room ? left : c->room) - TWO_RECORDS;
}

int tape_chunk_out_more(struct tape_chunk_out *c)
{
	if (TAPE_CHUNK_HEADER + tape_chunk_out_used(c) >
	    TAPE_CHUNK_BYTES - TWO_RECORDS)
		return 0;
	while (c->p > c->full && c->room < c->most)
		grow_piece(c);
	if (c->p > c->full)
		put_piece(c);
	return 1;
}

/* A slot of which nothing but the header is there. */
static void fill_slot(struct tape_chunk_out *c)
{
	int fd = c->fd;

	if (c->error)
		return;
	if (fd < 0)
		fd = tape_output_again(c->o, c->name);
	if (fd < 0 ||
	    ftruncate(fd, ((off_t)c->sequence + 1) * TAPE_CHUNK_BYTES))
		c->error = errno;
	if (fd >= 0 && fd != c->fd && close(fd) && !c->error)
		c->error = errno;
}

void tape_chunk_out_end(struct tape_chunk_out *c, struct tape_chunk *header,
			int open)
{
	unsigned char bytes[TAPE_CHUNK_HEADER] = {0};
	size_t n = (size_t)(c->p - c->piece);
	struct iovec part[2] = {{bytes, sizeof bytes}, {c->piece, n}};

	header->sequence = c->sequence;
	header->used = tape_chunk_out_used(c);
	if (c->written > TAPE_CHUNK_HEADER) {
		put_piece(c);
		part[1].iov_len = 0;
		header->checksum = c->sum ? tape_checksum_end(c->sum) : 0;
	} else {
		header->checksum =
		    open ? 0 : tape_chunk_checksum(c->piece, n, c->sequence);
	}
	tape_chunk_put(bytes, header);
	write_at(c, 0, part);
	if (open)
		fill_slot(c);
	c->sequence++;
	begin_chunk(c);
}

void tape_chunk_out_close(struct tape_chunk_out *c)
{
	if (c->fd >= 0 && close(c->fd) && !c->error)
		c->error = errno;
	free(c->piece);
	tape_checksum_free(c->sum);
}
