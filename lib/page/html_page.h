/*
 * The frame of an HTML page, the same for all pages of Tape: its head, the
 * style and the scripts that pages share (page.css, figures.js), its end. A
 * page is one file that loads nothing from elsewhere, whatever names the trace
 * has: its Content-Security-Policy forbids it.
 *
 *	static const struct html_page page = {
 *		.style = HTML_PART(x_style), .script = HTML_PART(x_script),
 *	};
 *
 *	html_page_begin(f, &page, "title");
 *	... the content of the body
 *	html_page_end(f, &page);
 *
 * Errors of writing are left in f.
 */
#ifndef HTML_PAGE_H
#define HTML_PAGE_H

#include <stddef.h>
#include <stdio.h>

/* A file that is embedded in the program: an array of its bytes. */
struct html_part {
	const unsigned char *bytes;
	size_t n;
};
#define HTML_PART(array) {array, sizeof(array)}

/* What belongs to one page only. */
struct html_page {
	struct html_part style;	 /* follows page.css; may be empty */
	struct html_part script; /* follows figures.js; empty: no scripts */
	int has_server;		 /* scripts may connect to the page's server */
};

/*
 * Writes the page up to the content of the body. title is plain text, and is
 * escaped: names from traces are untrusted.
 */
void html_page_begin(FILE *f, const struct html_page *p, const char *title);

/* Writes the scripts and the end. */
void html_page_end(FILE *f, const struct html_page *p);

/* Writes an embedded file as it is. */
void html_put_part(FILE *f, struct html_part part);

#endif
