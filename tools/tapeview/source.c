/* Source lines; see source.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"
#include "source.h"
#include "tool.h"

/* Limits, bytes: of a file, and of a line that is shown. */
enum { LONGEST = 16 << 20, SHOWN = 160 };

static int leaves_directory(const char *path)
{
	return *path == '/' || !strncmp(path, "../", 3) ||
	       strstr(path, "/../") != NULL;
}

/* Opens a regular file below dir of at most LONGEST bytes; NULL if it cannot.
 */
static FILE *open_regular(int dir, const char *path)
{
	int fd = leaves_directory(path)
		     ? -1
		     : openat(dir, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat s;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &s) || !S_ISREG(s.st_mode) || s.st_size > LONGEST) {
		close(fd);
		return NULL;
	}
	return fdopen(fd, "r");
}

static FILE *find_source_file(int dir, const char *path)
{
	const char *slash = strrchr(path, '/');
	FILE *f = open_regular(dir, path);

	return f || !slash ? f : open_regular(dir, slash + 1);
}

/* Reads up to that line. Returns 1 with the line in *text, or 0. */
static int read_source_line(FILE *f, int *at, int line, char **text,
			    size_t *room)
{
	ssize_t n = 0;

	while (*at < line && (n = getline(text, room, f)) > 0)
		++*at;
	return *at == line && *text;
}

static void put_source_line(FILE *f, size_t number, char *text,
			    const char *comma)
{
	char *s = text + strspn(text, " \t");

	s[strcspn(s, "\r\n")] = '\0';
	if (strlen(s) > SHOWN)
		s[SHOWN] = '\0';
	fprintf(f, "%s\"%zu\":", comma, number);
	tape_json_put(f, s);
}

void view_put_source(const struct view_names *n, const char *dir, FILE *f)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), at = 0;
	const char *path = NULL, *comma = "";
	FILE *in = NULL;
	char *text = NULL;
	size_t room = 0;

	if (fd < 0)
		tape_die(TAPE_FAILED, "--source %s: %s", dir, strerror(errno));
	fputs(",\n\"source\":{", f);
	/* call sites are sorted by file, then line */
	for (size_t i = 1; i < n->n_places; i++) {
		const struct tape_site_info *s = n->places[i].site;

		if (!s->file)
			continue;
		if (!path || strcmp(path, s->file)) {
			if (in)
				fclose(in);
			path = s->file;
			in = find_source_file(fd, path);
			at = 0;
		}
		if (in && s->line > 0 && s->line >= at &&
		    read_source_line(in, &at, s->line, &text, &room)) {
			put_source_line(f, i, text, comma);
			comma = ",\n";
		}
	}
	fputs("}", f);
	if (!*comma)
		tape_warn("--source %s: none of the source files of the trace "
			  "is there",
			  dir);
	if (in)
		fclose(in);
	free(text);
	close(fd);
}
