/* What is shown of a name: against characters written out by hand. */
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "tap.h"

static void characters(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		uint32_t code;
		int shown;
	} truth[] = {
		{ "a", 1, 'a', 1 },
		{ "\n", 1, '\n', 0 },
		{ "\x1b[", 1, 0x1b, 0 },
		{ "\x7f", 1, 0x7f, 0 },
		{ "\xc3\xa4", 2, 0xe4, 1 },             /* a with dots */
		{ "\xc2\x9b", 2, 0x9b, 0 },             /* CSI */
		{ "\xe2\x82\xac", 3, 0x20ac, 1 },       /* Euro */
		{ "\xe2\x80\xae", 3, 0x202e, 0 },       /* right to left */
		{ "\xef\xbf\xbd", 3, 0xfffd, 1 },
		{ "\xf0\x9d\x84\x9e", 4, 0x1d11e, 1 },  /* a clef */
		{ "", 0, 0, 0 },
		{ "\x9b", 0, 0, 0 },                    /* no first byte */
		{ "\xc3", 0, 0, 0 },                    /* cut */
		{ "\xc0\x8a", 0, 0, 0 },                /* too long a form */
		{ "\xe0\x80\x8a", 0, 0, 0 },
		{ "\xed\xa0\x80", 0, 0, 0 },            /* half a pair */
		{ "\xf4\x90\x80\x80", 0, 0, 0 },        /* beyond the last */
		{ "\xff", 0, 0, 0 },
	};
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
		uint32_t code = 0;
		size_t n = tape_utf8(truth[i].bytes, &code);

		if (n != truth[i].n || (n && (code != truth[i].code ||
					      tape_is_shown(code) !=
						      truth[i].shown))) {
			printf("# character %zu\n", i);
			wrong++;
		}
	}
	ok(!wrong, "characters of UTF-8, %u wrong", wrong);
}

static char *put(void (*how)(FILE *, const char *), const char *s)
{
	static char *text;
	size_t n;
	FILE *f;

	free(text);
	text = NULL;
	f = open_memstream(&text, &n);
	if (!f)
		exit(2);
	how(f, s);
	fclose(f);
	return text;
}

static void word(FILE *f, const char *s)
{
	tape_put_line(f, s, 1);
}

/* What a spreadsheet would run, and what it would not. */
static void formulas(void)
{
	static const char *const truth[][2] = {
		{ "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0" },
		{ "=1,2", "\"'=1,2\"" },
		{ "+1", "'+1" },
		{ "-f", "'-f" },
		{ "@SUM(A1)", "'@SUM(A1)" },
		{ "'=1", "''=1" },
		{ "\t=1", "\\x09=1" },
		{ "-", "-" },
		{ "", "" },
		{ "main", "main" },
		{ "a=b", "a=b" },
	};

	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++)
		ok(!strcmp(put(tape_put_csv, truth[i][0]), truth[i][1]),
		   "CSV of %s", truth[i][0]);
}

static void kinds(void)
{
	static const char s[] = "a \"b\",\x1b%\xff\xc3\xa4\n";
	char small[8];

	ok(!strcmp(put(tape_put_clean, s),
		   "a \"b\",\\x1b%\\xff\xc3\xa4\\x0a"), "text");
	ok(!strcmp(put(tape_put_csv, s),
		   "\"a \"\"b\"\",\\x1b%\\xff\xc3\xa4\\x0a\""), "CSV");
	ok(!strcmp(put(tape_put_csv, "a b"), "a b"), "CSV without quotes");
	ok(!strcmp(put(word, s), "a%20\"b\",%1b%25%ff\xc3\xa4%0a"),
	   "a word of a definition file");
	ok(!strcmp(tape_clean("abc\x1bz", small, sizeof small), "abc\\x1b"),
	   "just fits");
	ok(!strcmp(tape_clean("abcd\x1bz", small, sizeof small), "abcd"),
	   "cut before an escape");
	ok(!strcmp(tape_clean("abcdef\xc3\xa4", small, sizeof small), "abcdef"),
	   "cut before a character");
}

/* Values as doc/trace-format.md describes them. */
static void test_meta_values(void)
{
	static const struct {
		const char *value, *text;
	} truth[] = {
		{ "mpirun", "mpirun" },
		{ "a%20b%25", "a b%" },
		{ "./x%00-n%004", "./x -n 4" },
		{ "%c3%a4%C3%A4", "\xc3\xa4\xc3\xa4" },
		{ "%", "" },	    /* an empty word */
		{ "%2", "2" },	    /* cut */
		{ "%zz%41", "zzA" },
		{ "", "" },
		{ NULL, "" },
	};
	char text[20], small[4];

	for (size_t i = 0; i < sizeof truth / sizeof *truth; i++) {
		const char *v = truth[i].value;

		ok(!strcmp(tape_unescape_value(v, text, sizeof text),
			   truth[i].text),
		   "\"%s\" is \"%s\"", v ? v : "(none)", text);
	}
	ok(!strcmp(tape_unescape_value("%61%62%63%64", small, sizeof small),
		   "abc"),
	   "text is cut to its room");
}

int main(void)
{
	test_meta_values();
	characters();
	kinds();
	formulas();
	return done();
}
