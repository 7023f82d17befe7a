/* What may be shown of a name; see escape.h. */
#include <ctype.h>
#include <string.h>

#include "number_text.h"
#include "escape.h"

size_t tape_utf8(const char *s, uint32_t *code)
{
	/* by length: the first byte's marks, and the least code of it */
	static const struct {
		unsigned char mask, mark;
		uint32_t least;
	} forms[] = { { 0x80, 0, 1 }, { 0xe0, 0xc0, 0x80 },
		      { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };
	const unsigned char *p = (const unsigned char *)s;
	size_t n = 0;

	while (n < 4 && (*p & forms[n].mask) != forms[n].mark)
		n++;
	if (n == 4)
		return 0;
	*code = *p & (unsigned char)~forms[n].mask;
	for (size_t i = 1; i <= n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (p[i] & 0x3f);
	}
	if (*code < forms[n].least || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code <= 0xdfff))
		return 0;
	return n + 1;
}

int tape_is_shown(uint32_t code)
{
	/* controls; formats and separators (Unicode's Cc, Cf, Zl, Zp); the
	 * last two of each plane and a block that are no characters */
	static const uint32_t hidden[][2] = {
		{ 0, 0x1f },	     { 0x7f, 0x9f },	   { 0xad, 0xad },
		{ 0x600, 0x605 },    { 0x61c, 0x61c },	   { 0x6dd, 0x6dd },
		{ 0x70f, 0x70f },    { 0x890, 0x891 },	   { 0x8e2, 0x8e2 },
		{ 0x180e, 0x180e },  { 0x200b, 0x200f },   { 0x2028, 0x202e },
		{ 0x2060, 0x206f },  { 0xfdd0, 0xfdef },   { 0xfeff, 0xfeff },
		{ 0xfff0, 0xfffb },  { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd },
		{ 0x13430, 0x1345f }, { 0x1bca0, 0x1bca3 },
		{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
		if (code >= hidden[i][0] && code <= hidden[i][1])
			return 0;
	return (code & 0xfffe) != 0xfffe;
}

/* The bytes of the character at s if it is to be shown as it is, else 0. */
static size_t shown_bytes(const char *s)
{
	uint32_t code;
	size_t n = tape_utf8(s, &code);

	return n && tape_is_shown(code) ? n : 0;
}

/* The next piece of s as text: its bytes in piece, those it took of s. */
static size_t next_shown_piece(const char *s, char piece[8], size_t *taken)
{
	size_t n = shown_bytes(s);

	*taken = n ? n : 1;
	if (n) {
		memcpy(piece, s, n);
		piece[n] = '\0';
		return n;
	}
	return (size_t)snprintf(piece, 8, "\\x%02x", (unsigned char)*s);
}

char *tape_clean(const char *s, char *text, size_t n)
{
	size_t used = 0, taken, more;
	char piece[8];

	for (; *s; s += taken) {
		more = next_shown_piece(s, piece, &taken);
		if (used + more >= n)
			break;
		memcpy(text + used, piece, more);
		used += more;
	}
	if (n)
		text[used] = '\0';
	return text;
}

void tape_put_clean(FILE *f, const char *s)
{
	char piece[8];
	size_t taken;

	for (; *s; s += taken) {
		next_shown_piece(s, piece, &taken);
		fputs(piece, f);
	}
}

void tape_put_csv(FILE *f, const char *s)
{
	int quoted = strpbrk(s, ",\"") != NULL;
	char piece[8];
	size_t taken;

	if (quoted)
		fputc('"', f);
	/* a spreadsheet runs such a field as a formula; "-" alone is none */
	if (*s && strchr("=+-@'", *s) && strcmp(s, "-") != 0)
		fputc('\'', f);
	for (; *s; s += taken) {
		next_shown_piece(s, piece, &taken);
		fputs(*s == '"' ? "\"\"" : piece, f);
	}
	if (quoted)
		fputc('"', f);
}

void tape_put_line(FILE *f, const char *s, int word)
{
	size_t n;

	for (; *s; s += n ? n : 1) {
		n = word && (*s == ' ' || *s == '%') ? 0 : shown_bytes(s);
		if (n)
			fwrite(s, 1, n, f);
		else
			fprintf(f, "%%%02x", (unsigned char)*s);
	}
}

char *tape_unescape_value(const char *value, char *text, size_t n)
{
	size_t k = 0;

	for (; value && *value && k + 1 < n; value++)
		if (*value == '%' && isxdigit((unsigned char)value[1]) &&
		    isxdigit((unsigned char)value[2])) {
			char digits[3] = {value[1], value[2], '\0'};

			text[k] = (char)tape_leading_number(digits, 16);
			text[k] = text[k] ? text[k] : ' ';
			k++;
			value += 2;
		} else if (*value != '%') {
			text[k++] = *value;
		}
	text[k] = '\0';
	return text;
}
