/* The page: one HTML file with its data and scripts. */
#ifndef TAPE_VIEW_PAGE_H
#define TAPE_VIEW_PAGE_H

#include <stdio.h>

#include "view.h"

/* Limit of the bytes of a page. */
#define VIEW_PAGE_BYTES ((size_t)20000000)

/* The data of a page, deflated if zlib is available. */
struct view_page {
	unsigned char *data;
	size_t n, bytes; /* size of data; estimated size of the page */
	int deflated;
};

void view_page_pack(struct view_page *p, struct view *v);
void view_page_free(struct view_page *p);
void view_page_write(const struct view_page *p, const struct view *v, FILE *f);

#endif
