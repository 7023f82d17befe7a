/* Call sites for people: in which order, and how they are written. */
#ifndef TAPE_PLACE_H
#define TAPE_PLACE_H

#include "tape_reader.h"

/* Enough for the name of any place; longer ones are cut. */
#define TAPE_PLACE_BYTES 512

/*
 * "exchange (jacobi.c:57)"; where the line is not known "exchange
 * (prog+0x1234)" or "prog+0x1234", and "unknown" where nothing is, or s is
 * NULL. Files go without their folders. One line that can be shown (escape.h).
 * Writes at most n bytes to text; returns text.
 */
const char *tape_place_text(const struct tape_site_info *s, char *text,
			    size_t n);

/* The function of a site in a file of Python; "": at its outermost level, or in
 * another file. */
const char *tape_place_python_function(const struct tape_site_info *s);

/* A call site of a rank of t; NULL: none, or not defined. */
const struct tape_site_info *tape_site_of(const struct tape_trace *t, int rank,
					  uint32_t site);

/*
 * Order by place, then call; 0: the same. Addresses with one call, file, line
 * and function are one place: a call that was inlined, or compiled twice, is
 * one line to its author.
 */
int tape_place_order(const struct tape_site_info *a,
		     const struct tape_site_info *b);

/*
 * Of whom a rank speaks as that peer in a communicator of its own: the rank in
 * the trace; -1: not in it, or not known.
 */
int tape_peer_rank(const struct tape_trace *t, int rank, uint32_t comm,
		   int32_t peer);

#endif
