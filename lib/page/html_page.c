/* The frame of an HTML page; see html_page.h. */
#include "html_page.h"

#include "html_page_parts.h"
#include "svg.h"

static const struct html_part shared_style = HTML_PART(html_page_part_style);
static const struct html_part shared_script = HTML_PART(html_page_part_script);

void html_put_part(FILE *f, struct html_part part)
{
	fwrite(part.bytes, 1, part.n, f);
}

void html_page_begin(FILE *f, const struct html_page *p, const char *title)
{
	fprintf(f,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\""
		"default-src 'none'; style-src 'unsafe-inline'; "
		"%s%simg-src data:\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, "
		"initial-scale=1\">\n<title>",
		p->script.n ? "script-src 'unsafe-inline'; " : "",
		p->has_server ? "connect-src 'self'; " : "");
	tape_svg_text(f, title);
	fputs("</title>\n<style>\n", f);
	html_put_part(f, shared_style);
	html_put_part(f, p->style);
	fputs("</style>\n</head>\n<body>\n", f);
}

void html_page_end(FILE *f, const struct html_page *p)
{
	if (p->script.n) {
		fputs("<script>\n", f);
		html_put_part(f, shared_script);
		html_put_part(f, p->script);
		fputs("</script>\n", f);
	}
	fputs("</body>\n</html>\n", f);
}
