/* The frame of an HTML page: its Content-Security-Policy, its escaped title. */
#include <stdlib.h>
#include <string.h>

#include "html_page.h"
#include "tap.h"

/* Returns a page, to be freed. */
static char *write_page(const struct html_page *p, const char *title)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		exit(2);
	html_page_begin(f, p, title);
	html_page_end(f, p);
	fclose(f);
	return text;
}

/* Returns 1 if the page's policy is this one. */
static int has_policy(const char *text, const char *truth)
{
	const char *s = strstr(text, "Policy\" content=\"");

	s = s ? s + strlen("Policy\" content=\"") : "";
	return strlen(truth) == strcspn(s, "\"") &&
	       !strncmp(s, truth, strlen(truth));
}

int main(void)
{
	static const unsigned char script[] = {'f', '(', ')', ';', '\n'};
	static const struct html_page still = {.has_server = 0},
				      active = {.script = HTML_PART(script),
						.has_server = 1};
	char *a = write_page(&still, "</title><script>x</script>");
	char *b = write_page(&active, "b");

	ok(strstr(a, "<title>&#60;/title&#62;&#60;script&#62;x") != NULL,
	   "a title is text");
	ok(!strstr(a, "<script"), "a page without scripts has none");
	ok(has_policy(a, "default-src 'none'; style-src 'unsafe-inline'; "
			 "img-src data:"),
	   "and allows none");
	ok(has_policy(b, "default-src 'none'; style-src 'unsafe-inline'; "
			 "script-src 'unsafe-inline'; connect-src 'self'; "
			 "img-src data:"),
	   "scripts of a page with a server may connect to it");
	ok(strstr(b, "\nf();\n</script>\n</body>\n</html>\n") != NULL,
	   "its own script is last");
	free(a);
	free(b);
	return done();
}
