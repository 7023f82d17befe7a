/*
 * Rerouting on strings. Expected texts are written without the table: "@3"
 * stands for what hands site 3 over, and ~ for the prefix of the name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "expanded.h"
#include "reroute.h"
#include "tap.h"

/* The text behind the table; NULL when there is none. */
static const char *body(const struct tape_rerouted *r, size_t *n)
{
	static const char mark[] = "#endif\n#line 1 \"f.c\"\n";
	const char *p = r->n ? memmem(r->text, r->n, mark, strlen(mark)) : NULL;

	if (!p)
		return NULL;
	p += strlen(mark);
	*n = r->n - (size_t)(p - r->text);
	return p;
}

/* Puts the long form in place of ~ and @N. */
static size_t spell(const char *s, char *to)
{
	char *q = to;

	for (; *s; s++)
		if (*s == '~')
			q += sprintf(q, "tape_");
		else if (*s == '@')
			q += sprintf(q, "&tape_sites[%c]", *++s);
		else
			*q++ = *s;
	*q = '\0';
	return (size_t)(q - to);
}

static int matches(const struct tape_rerouted *r, const char *expected)
{
	char want[4096];
	size_t n = 0, k = spell(expected, want);
	const char *p = body(r, &n);

	if (p && n == k && !memcmp(p, want, n))
		return 1;
	printf("# got  %.*s\n# want %s\n", p ? (int)n : 4, p ? p : "none",
	       want);
	return 0;
}

/* in becomes out, reports reports; out NULL: nothing may change. */
static struct tape_rerouted last;

static void check(const char *what, const char *in, const char *out,
		  size_t reports)
{
	size_t n = strlen(in);
	int good;

	tape_rerouted_free(&last);
	good = !tape_reroute("f.c", in, n, &last);
	if (good && out)
		good = matches(&last, out);
	else if (good)
		good = last.n == n && (!n || !memcmp(last.text, in, n)) &&
		       !last.site_count;
	if (last.report_count != reports)
		printf("# %zu reports\n", last.report_count);
	ok(good && last.report_count == reports, "%s", what);
}

static void site(size_t i, const char *name, int line, const char *file,
		 const char *function)
{
	const struct tape_reroute_site *s = &last.sites[i];
	int good = i < last.site_count && !strcmp(s->name, name) &&
		   s->line == line && !strcmp(s->file, file) &&
		   !strcmp(s->function, function);

	if (!good && i < last.site_count)
		printf("# %s %d %s %s\n", s->name, s->line, s->file,
		       s->function);
	ok(good, "  site %zu is %s, line %d of %s, in \"%s\"", i, name, line,
	   file, function);
}

static void calls(void)
{
	check("nothing", "", NULL, 0);
	check("no call", "int main(void) { return 0; }\n", NULL, 0);
	check("a call", "int f(int a) {\n MPI_Send(a, 1);\n}\n",
	      "int f(int a) {\n ~MPI_Send(@0, a, 1);\n}\n", 0);
	site(0, "MPI_Send", 2, "f.c", "f");
	ok(strstr(last.text, "\t{ 120, 0, 0, 2, \"f.c\", \"f\" },\n") != NULL,
	   "  the table says the same");
	check("no arguments",
	      "int f() { MPI_Finalize(); MPI_Finalize( /*)*/ ); }",
	      "int f() { ~MPI_Finalize(@0); ~MPI_Finalize(@1 /*)*/ ); }", 0);
	check("a call of PVM among MPI's",
	      "int f() { return pvm_send(MPI_Recv(1), 2); }",
	      "int f() { return ~pvm_send(@0, ~MPI_Recv(@1, 1), 2); }", 0);
	site(0, "pvm_send", 1, "f.c", "f");
	check("calls with any number of arguments stay",
	      "int f() { return pvm_packf(\"\", 2) + MPI_Pcontrol(1); }", NULL,
	      0);
	check("a call in a call",
	      "int f() { return MPI_Send(MPI_Recv(1), 2); }",
	      "int f() { return ~MPI_Send(@0, ~MPI_Recv(@1, 1), 2); }", 0);
	check(
	    "blanks, comments, newlines, continuations before the parenthesis",
	    "int f() {\nMPI_Send /* ( */ // (\n \\\n\t(a); }",
	    "int f() {\n~MPI_Send /* ( */ // (\n \\\n\t(@0, a); }", 0);
	site(0, "MPI_Send", 2, "f.c", "f");
	check("a name over two lines", "int f() { MPI_\\\nSend(a); }",
	      "int f() { ~MPI_\\\nSend(@0, a); }", 0);
	check(
	    "longer and other names",
	    "int f() { my_MPI_Send(a); MPI_Send_x(a); PMPI_Send(a);"
	    " $MPI_Send(a); \xc3\xa9MPI_Send(a); 1MPI_Send(a); MPI_send(a); }",
	    NULL, 0);
	check("bytes from 128 stay",
	      "int f() { g(\"\xe9\xff\"); MPI_Send(a); }",
	      "int f() { g(\"\xe9\xff\"); ~MPI_Send(@0, a); }", 0);
	check("members",
	      "int f() { x.MPI_Send(a); x->MPI_Send(a);"
	      " x-\\\n>MPI_Send(a); }",
	      NULL, 0);
	check("CRLF", "int f() {\r\n MPI_Send\\\r\n(a);\r\n}\r\n",
	      "int f() {\r\n ~MPI_Send\\\r\n(@0, a);\r\n}\r\n", 0);
	site(0, "MPI_Send", 2, "f.c", "f");
	check("after words of statements",
	      "int f() { if (a) MPI_Send(a); else MPI_Recv(a); do MPI_Wait(a);"
	      " while (a); return MPI_Test(a); }",
	      "int f() { if (a) ~MPI_Send(@0, a); else ~MPI_Recv(@1, a); do"
	      " ~MPI_Wait(@2, a); while (a); return ~MPI_Test(@3, a); }",
	      0);
	check("digraphs", "int f() <% MPI_Send(a); %> int g() { MPI_Send(a); }",
	      "int f() <% ~MPI_Send(@0, a); %> int g() { ~MPI_Send(@1, a); }",
	      0);
	site(1, "MPI_Send", 1, "f.c", "g");
}

static void not_code(void)
{
	check("comments",
	      "int f() { /* MPI_Send(a); \" */ // MPI_Send(a) '\n"
	      "// MPI_Send( \\\n MPI_Send(a)\n /\\\n* MPI_Send(a) *\\\n/ }",
	      NULL, 0);
	check("strings",
	      "int f() { g(\"MPI_Send(a)\\\" MPI_Send(a) \\\n"
	      " MPI_Send(a)\", L\"MPI_Send(a)\"); }",
	      NULL, 0);
	check("a comment's start in a string",
	      "int f() { g(\"/*\");"
	      " MPI_Send(a); g(\"*/\"); }",
	      "int f() { g(\"/*\"); ~MPI_Send(@0, a); g(\"*/\"); }", 0);
	check("character constants",
	      "int f() { c = '\"'; MPI_Send('\\'', '/*'); }",
	      "int f() { c = '\"'; ~MPI_Send(@0, '\\'', '/*'); }", 0);
	check("raw strings",
	      "int f() { g(R\"x(\" )\" MPI_Send(a) )x\");"
	      " MPI_Send(a); }",
	      "int f() { g(R\"x(\" )\" MPI_Send(a) )x\"); ~MPI_Send(@0, a); }",
	      0);
	check("numbers with separators",
	      "int f() { x = 1'000; MPI_Send('a'); }",
	      "int f() { x = 1'000; ~MPI_Send(@0, 'a'); }", 0);
	check("unclosed quotes end with their line",
	      "#error don't\nint f() { MPI_Send(a); }",
	      "#error don't\nint f() { ~MPI_Send(@0, a); }", 0);
	check("quotes in header names",
	      "#include /* x */ <it's.h>\n#include <a\"b.h>\n"
	      "int f() { MPI_Send(a); }",
	      "#include /* x */ <it's.h>\n#include <a\"b.h>\n"
	      "int f() { ~MPI_Send(@0, a); }",
	      0);
	check("an open comment", "int f() { /* MPI_Send(a); }", NULL, 0);
}

static void declarations(void)
{
	check("a prototype",
	      "int MPI_Send(int a);\n"
	      "extern int MPI_Recv(int);\nint f() { int MPI_Wait(int); }",
	      NULL, 0);
	check("an interposed function, and calls of it",
	      "int MPI_Send(int a)\n{ return PMPI_Send(a); }\n"
	      "int g() { MPI_Send(1); MPI_Recv(1); }",
	      "int MPI_Send(int a)\n{ return PMPI_Send(a); }\n"
	      "int g() { MPI_Send(1); ~MPI_Recv(@0, 1); }",
	      1);
	ok(last.reports[0].why == TAPE_LEFT_DECLARED, "  and why");
	check("in extern \"C\"",
	      "extern \"C\" {\nint MPI_Send(int a);\n"
	      "int f(void) { MPI_Recv(1); }\n}\nint MPI_Wait(int a) { }",
	      "extern \"C\" {\nint MPI_Send(int a);\n"
	      "int f(void) { ~MPI_Recv(@0, 1); }\n}\nint MPI_Wait(int a) { }",
	      0);
	check("an unknown word before the name", "int f() { FAR MPI_Send(a); }",
	      NULL, 1);
	check("a member or variable of that name",
	      "struct s { int (*MPI_Send)(int); };\n"
	      "int f() { int (*MPI_Recv)(int); s.MPI_Send = 0; }",
	      NULL, 0);
	check("the test of a configure script",
	      "char MPI_Init ();\n"
	      "int main () {\nreturn MPI_Init ();\n}\n",
	      NULL, 1);
}

/* What has the name of a call, and for how long. */
static void names(void)
{
	check("a prototype in a block is the library's function",
	      "int f() { extern int MPI_Send(int); MPI_Send(1); }\n"
	      "int g() { MPI_Send(1); }",
	      "int f() { extern int MPI_Send(int); ~MPI_Send(@0, 1); }\n"
	      "int g() { ~MPI_Send(@1, 1); }",
	      0);
	check("several names in one declaration",
	      "int f() { int a, MPI_Send(), *b, MPI_Wait(int), c = MPI_Test(1);"
	      " a = 1, MPI_Send(a); return a, MPI_Wait(1); }",
	      "int f() { int a, MPI_Send(), *b, MPI_Wait(int), c ="
	      " ~MPI_Test(@0, 1); a = 1, ~MPI_Send(@1, a);"
	      " return a, ~MPI_Wait(@2, 1); }",
	      0);
	check("a function that is defined further down",
	      "int f() { extern int MPI_Send(int); MPI_Send(1); }\n"
	      "int MPI_Send(int a) { return a; }",
	      NULL, 1);
	check("the same in the old style, and a static declaration",
	      "static int MPI_Wait(int);\nint f() { MPI_Send(1); MPI_Wait(1); }"
	      "int MPI_Send(a) int a; { return a; }",
	      NULL, 2);
	check("a variable, to the end of its block",
	      "int f() { { int (*MPI_Send)(int) = g; MPI_Send(1); }"
	      " MPI_Send(1); }",
	      "int f() { { int (*MPI_Send)(int) = g; MPI_Send(1); }"
	      " ~MPI_Send(@0, 1); }",
	      1);
	ok(last.reports[0].why == TAPE_LEFT_VARIABLE, "  and why");
	check("a parameter, to the end of its function",
	      "int f(fn *MPI_Send, int (*MPI_Wait)(int)) {"
	      " MPI_Send(1); MPI_Wait(1); } int g() { MPI_Send(MPI_Wait(1)); }",
	      "int f(fn *MPI_Send, int (*MPI_Wait)(int)) {"
	      " MPI_Send(1); MPI_Wait(1); }"
	      " int g() { ~MPI_Send(@0, ~MPI_Wait(@1, 1)); }",
	      2);
	check("a parameter of a prototype",
	      "int f(int (*MPI_Wait)(int)); int g() { MPI_Wait(1); }",
	      "int f(int (*MPI_Wait)(int)); int g() { ~MPI_Wait(@0, 1); }", 0);
	check("members",
	      "struct s { int (*MPI_Send)(int); fn *MPI_Wait; };\n"
	      "int f() { union { int (*MPI_Test)(int); } u; MPI_Send(1);"
	      " MPI_Wait(1); MPI_Test(1); u.MPI_Test(1); }",
	      "struct s { int (*MPI_Send)(int); fn *MPI_Wait; };\n"
	      "int f() { union { int (*MPI_Test)(int); } u; ~MPI_Send(@0, 1);"
	      " ~MPI_Wait(@1, 1); ~MPI_Test(@2, 1); u.MPI_Test(1); }",
	      0);
	check("a nested function",
	      "int f() { int MPI_Send(int a) { return a; } MPI_Send(1); }\n"
	      "int g() { MPI_Send(1); }",
	      "int f() { int MPI_Send(int a) { return a; } MPI_Send(1); }\n"
	      "int g() { ~MPI_Send(@0, 1); }",
	      1);
	check("a variable of the file",
	      "int (*MPI_Send)(int);\nint g() { MPI_Send(1); }", NULL, 1);
}

/* The body of in is rewritten; expanded, spelt alike, is the compiler's. */
static void check_expanded(const char *what, const char *in,
			   const char *expanded, const char *out,
			   size_t reports)
{
	char text[4096];
	size_t n = spell(expanded, text);
	int good;

	tape_rerouted_free(&last);
	good = !tape_reroute_expanded("f.c", in, strlen(in), text, n, &last) &&
	       (out ? matches(&last, out) : !last.site_count);
	if (last.report_count != reports)
		printf("# %zu reports\n", last.report_count);
	ok(good && last.report_count == reports, "%s", what);
}

static void expanded(void)
{
	static const char in[] =
	    "int f() { A(MPI_Send(1)); B(MPI_Wait(2)); C(MPI_Test(3)); }";
	static const char all[] = "int f() { A(~MPI_Send(@0, 1)); "
				  "B(~MPI_Wait(@1, 2)); C(~MPI_Test(@2, 3)); }";
	/* of which MPI_Test is declared by nobody */
	static const char known[] = "int ~MPI_Send(struct s *);\n"
				    "int ~MPI_Wait(struct s *, ...);\n";
	char text[1024];

	check_expanded("the preprocessor failed", in, "", all, 0);
	check_expanded("calls that are not compiled", in, "int f() {}", all, 0);
	snprintf(text, sizeof text, "%sint f() { puts(\"~MPI_Send(@0, 1)\"),"
		 " ~MPI_Send(@0, 1); ~MPI_Wait(@1, 2); }", known);
	check_expanded("a string", in, text,
		       "int f() { A(MPI_Send(1)); "
		       "B(~MPI_Wait(@0, 2)); C(~MPI_Test(@1, 3)); }", 1);
	ok(last.reports[0].why == TAPE_LEFT_STRING, "  and why");
	snprintf(text, sizeof text, "%s# 1 \"~MPI_Send(@0)\"\n"
		 "int f() { ~MPI_Send(@0, 1); P~MPI_Wait(@1, 2); }", known);
	check_expanded("another name, and a line directive", in, text,
		       "int f() { A(~MPI_Send(@0, 1)); "
		       "B(MPI_Wait(2)); C(~MPI_Test(@1, 3)); }", 1);
	ok(last.reports[0].why == TAPE_LEFT_PASTED, "  and why");
	snprintf(text, sizeof text, "%sint f() { ~MPI_Test(@2, 3); "
		 "\"tape_sites[99999999999999999999] tape_sites[\" }", known);
	check_expanded("a call without its header", in, text,
		       "int f() { A(~MPI_Send(@0, 1)); "
		       "B(~MPI_Wait(@1, 2)); C(MPI_Test(3)); }", 1);
	ok(last.reports[0].why == TAPE_LEFT_UNDECLARED, "  and why");
	check_expanded("all of them", in,
		       "\"tape_sites[0] tape_sites[1]\" \"tape_sites[2]\"",
		       NULL, 3);
}

static void reported(void)
{
	check("its address",
	      "int f() { p = MPI_Send;\n q = &MPI_Recv;\n"
	      " g(MPI_Wait, 1); (MPI_Test)(1); (*MPI_Send)(1); }",
	      NULL, 5);
	ok(last.reports[1].line == 2 && !strcmp(last.reports[1].file, "f.c") &&
	       !strcmp(last.reports[1].name, "MPI_Recv") &&
	       last.reports[1].why == TAPE_LEFT_NO_CALL,
	   "  with its line and name");
	check("a table of functions", "fn *t[] = { MPI_Send };", NULL, 1);
	check("an inline function that is not static",
	      "inline int f() { MPI_Send(1); }\n"
	      "static inline int g() { MPI_Send(1); }\n"
	      "int h() { MPI_Send(1); }",
	      "inline int f() { MPI_Send(1); }\n"
	      "static inline int g() { ~MPI_Send(@0, 1); }\n"
	      "int h() { ~MPI_Send(@1, 1); }",
	      1);
	for (int why = 0; why <= TAPE_LEFT_UNDECLARED; why++)
		ok(strcmp(tape_left_text((enum tape_left)why), "left alone"),
		   "reason %d has a text", why);
}

static void macros(void)
{
	check("a macro's body",
	      "#define S(a) do { \\\n MPI_Send(a); \\\n"
	      "} while (0)\nint f() { S(1); }\nint g() { MPI_Wait(1); }",
	      "#define S(a) do { \\\n ~MPI_Send(@0, a); \\\n"
	      "} while (0)\nint f() { S(1); }\nint g() { ~MPI_Wait(@1, 1); }",
	      0);
	site(0, "MPI_Send", 2, "f.c", "");
	site(1, "MPI_Wait", 5, "f.c", "g");
	check(
	    "a brace in a macro is none of the function's",
	    "int f() {\n#define OPEN {\n#define CLOSE }\nMPI_Send(1);\n}\n"
	    "int g() { MPI_Send(1); }",
	    "int f() {\n#define OPEN {\n#define CLOSE }\n~MPI_Send(@0, 1);\n}\n"
	    "int g() { ~MPI_Send(@1, 1); }",
	    0);
	site(1, "MPI_Send", 6, "f.c", "g");
	check("a macro for a name", "#define S MPI_Send\n(a)\n", NULL, 1);
	check("a name as a macro",
	      "#define MPI_Send(a) g(a)\n"
	      "int f() { MPI_Send(1); }\n#undef MPI_Send\n"
	      "int g() { MPI_Send(1); }",
	      "#define MPI_Send(a) g(a)\nint f() { MPI_Send(1); }\n"
	      "#undef MPI_Send\nint g() { ~MPI_Send(@0, 1); }",
	      1);
	ok(last.reports[0].why == TAPE_LEFT_MACRO, "  and why");
	check("a pasted name",
	      "#define C(x) MPI_##x(1)\n"
	      "#define D(x) x##MPI_Send(1)\n#define T(x) MPI_##x\n",
	      NULL, 2);
	ok(last.reports[0].why == TAPE_LEFT_PASTED, "  and why");
	check("other directives",
	      "#ifdef MPI_Send\n#endif\n"
	      "#if defined(MPI_Send) && MPI_Send(1)\n#endif\n"
	      "#pragma weak MPI_Send\n#error MPI_Send(1)\n",
	      NULL, 0);
	check("a macro that ends with its parenthesis",
	      "#define B MPI_Send(\nint f() { B 1); }",
	      "#define B ~MPI_Send(@0, \nint f() { B 1); }", 0);
}

static void conditionals(void)
{
	check(
	    "#if 0",
	    "int f() {\n#if 0\nMPI_Send(1); {{{ p = MPI_Send;\n"
	    "#if 1\nMPI_Send(1);\n#else\n{\n#endif\n#else\nMPI_Recv(1);\n"
	    "#endif\nMPI_Wait(1); }\nint g() { MPI_Test(1); }",
	    "int f() {\n#if 0\nMPI_Send(1); {{{ p = MPI_Send;\n"
	    "#if 1\nMPI_Send(1);\n#else\n{\n#endif\n#else\n~MPI_Recv(@0, 1);\n"
	    "#endif\n~MPI_Wait(@1, 1); }\nint g() { ~MPI_Test(@2, 1); }",
	    0);
	site(1, "MPI_Wait", 12, "f.c", "f");
	site(2, "MPI_Test", 13, "f.c", "g");
	check("the else of #if 1",
	      "int f() {\n#if 1\nMPI_Send(1);\n#else\n"
	      "MPI_Send(1); }\n#endif\n}",
	      "int f() {\n#if 1\n~MPI_Send(@0, 1);\n#else\n"
	      "MPI_Send(1); }\n#endif\n}",
	      0);
	check(
	    "a brace in both branches",
	    "#ifdef A\nint f(int a) {\n#else\n"
	    "int f(long a) {\n#endif\nMPI_Send(1); }\nint g() { MPI_Wait(1); }",
	    "#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n"
	    "~MPI_Send(@0, 1); }\nint g() { ~MPI_Wait(@1, 1); }",
	    0);
	site(0, "MPI_Send", 6, "f.c", "f");
	site(1, "MPI_Wait", 7, "f.c", "g");
	check("extern \"C\" for another language",
	      "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint MPI_Send(int);\n"
	      "int f() { MPI_Recv(1); }\n#ifdef __cplusplus\n}\n#endif\n",
	      "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint MPI_Send(int);\n"
	      "int f() { ~MPI_Recv(@0, 1); }\n#ifdef __cplusplus\n}\n#endif\n",
	      0);
	check("branches that do not nest",
	      "int f()\n{\n#ifdef A\n\tif (a) {\n#endif\n\tMPI_Send(1);\n"
	      "#ifdef B\n\t}\n#else\n\t;\n\t}\n\t}\n#endif\n}\n"
	      "int MPI_Recv(int a)\n{\n#ifdef A\n{\n#endif\n}\n"
	      "int g(void)\n{\n\tMPI_Wait(1);\n}\n",
	      "int f()\n{\n#ifdef A\n\tif (a) {\n#endif\n\t~MPI_Send(@0, 1);\n"
	      "#ifdef B\n\t}\n#else\n\t;\n\t}\n\t}\n#endif\n}\n"
	      "int MPI_Recv(int a)\n{\n#ifdef A\n{\n#endif\n}\n"
	      "int g(void)\n{\n\t~MPI_Wait(@1, 1);\n}\n",
	      0);
	site(1, "MPI_Wait", 23, "f.c", "g");
	check("lonely #else and #endif",
	      "#else\n#endif\n#elif 1\n#endif\n"
	      "int f() { MPI_Send(1); }",
	      "#else\n#endif\n#elif 1\n#endif\nint f() { ~MPI_Send(@0, 1); }",
	      0);
}

static void lines(void)
{
	check(
	    "#line",
	    "int f() {\n#line 100 \"a\\\\b \\303\\251.y\"\nMPI_Send(1);\n"
	    "\n# 7 \"g.h\" 2\nMPI_Recv(1);\n#line 30\nMPI_Wait(1); }\n",
	    "int f() {\n#line 100 \"a\\\\b \\303\\251.y\"\n~MPI_Send(@0, 1);\n"
	    "\n# 7 \"g.h\" 2\n~MPI_Recv(@1, 1);\n#line 30\n"
	    "~MPI_Wait(@2, 1); }\n",
	    0);
	site(0, "MPI_Send", 100, "a\\b \xc3\xa9.y", "f");
	site(1, "MPI_Recv", 7, "g.h", "f");
	site(2, "MPI_Wait", 30, "g.h", "f");
	ok(strstr(last.text, "100, \"a\\134b \\303\\251.y\"") != NULL,
	   "  in the table too");
	check("a byte order mark",
	      "\xef\xbb\xbf"
	      "int f() { MPI_Send(1); }",
	      "int f() { ~MPI_Send(@0, 1); }", 0);
	ok(!memcmp(last.text, "\xef\xbb\xbf#", 4), "  stays first");
}

static void functions(void)
{
	check("names of functions",
	      "static const struct s *f(int (*g)(int), struct t h) {"
	      " MPI_Send(1); }\n"
	      "int k(a, b) struct a a; int b; { MPI_Send(2); }\n"
	      "struct t { int a; } x = { 1 }; struct t *l(void) {"
	      " MPI_Send(3); }\n"
	      "__attribute__((unused)) int m(void) ATTR { MPI_Send(4); }\n"
	      "int a[] = { sizeof (int) }; enum { A = 1 };\n"
	      "static int n\n(void)\n{ struct u { int c; } d = { 1 };"
	      " if (d.c) { } MPI_Send(5); }\n",
	      "static const struct s *f(int (*g)(int), struct t h) {"
	      " ~MPI_Send(@0, 1); }\n"
	      "int k(a, b) struct a a; int b; { ~MPI_Send(@1, 2); }\n"
	      "struct t { int a; } x = { 1 }; struct t *l(void) {"
	      " ~MPI_Send(@2, 3); }\n"
	      "__attribute__((unused)) int m(void) ATTR { ~MPI_Send(@3, 4); }\n"
	      "int a[] = { sizeof (int) }; enum { A = 1 };\n"
	      "static int n\n(void)\n{ struct u { int c; } d = { 1 };"
	      " if (d.c) { } ~MPI_Send(@4, 5); }\n",
	      0);
	site(0, "MPI_Send", 1, "f.c", "f");
	site(1, "MPI_Send", 2, "f.c", "k");
	site(2, "MPI_Send", 3, "f.c", "l");
	site(3, "MPI_Send", 4, "f.c", "m");
	site(4, "MPI_Send", 8, "f.c", "n");
}

/* ---- any bytes ---- */

static unsigned long long state;

static size_t draw(size_t n)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (size_t)(state >> 33) % n;
}

static size_t scraps(char *to, size_t size, int with_names)
{
	static const char *const scrap[] = {"MPI_Send(",
					    "MPI_Finalize()",
					    "MPI_Recv",
					    "MPI_",
					    "{",
					    "}",
					    "(",
					    ")",
					    ";",
					    "\n",
					    "\\\n",
					    "\r\n",
					    "\"",
					    "'",
					    "/*",
					    "*/",
					    "//",
					    "#if 0\n",
					    "#if X\n",
					    "#else\n",
					    "#endif\n",
					    "#define ",
					    "#line 9 \"z",
					    "##",
					    "R\"(",
					    ")\"",
					    "int ",
					    "inline ",
					    "=",
					    "->",
					    "*",
					    "0'1",
					    "#include <",
					    "\xff",
					    "extern \"C\" {",
					    " ",
					    "%:",
					    "<%",
					    "\\u00e9",
					    "\t",
					    "0x",
					    ".",
					    "struct s",
					    "f(",
					    "\\"};
	size_t n = 0, k;

	for (size_t words = draw(60); words && n + 64 < size; words--) {
		k = draw(sizeof scrap / sizeof *scrap + 1);
		if (k == sizeof scrap / sizeof *scrap) {
			to[n++] = (char)draw(256);
		} else if (with_names || strncmp(scrap[k], "MPI_", 4)) {
			memcpy(to + n, scrap[k], strlen(scrap[k]));
			n += strlen(scrap[k]);
		}
	}
	return n;
}

/* Takes the insertions out again; true when in remains. */
static int undone(const struct tape_rerouted *r, const char *in, size_t n)
{
	size_t k = 0, i = 0;
	const char *p = body(r, &k);

	if (!p)
		return r->n == n && (!n || !memcmp(r->text, in, n));
	for (const char *end = p + k; p < end;) {
		if (i < n && *p == in[i]) {
			p++, i++;
		} else if (end - p > 9 && !memcmp(p, "tape_MPI_", 9)) {
			p += 5;
		} else if (end - p > 12 && !memcmp(p, "&tape_sites[", 12)) {
			p = (const char *)memchr(p, ']', (size_t)(end - p)) + 1;
			if (end - p >= 2 && !memcmp(p, ", ", 2) &&
			    (i + 1 >= n || memcmp(in + i, ", ", 2)))
				p += 2;
		} else {
			return 0;
		}
	}
	return i == n;
}

static void any_bytes(void)
{
	unsigned long long seed = 20260131;
	int wrong = 0, changed = 0, plain = 0;
	struct tape_rerouted r;
	char in[4096];
	size_t n;

	printf("# seed %llu\n", seed);
	state = seed;
	for (int i = 0; i < 60000; i++) {
		n = scraps(in, sizeof in, i % 2);
		if (tape_reroute("f.c", in, n, &r)) {
			wrong++;
			continue;
		}
		wrong += !undone(&r, in, n);
		changed += r.site_count > 0;
		plain += !(i % 2) && r.site_count;
		tape_rerouted_free(&r);
	}
	ok(!wrong && changed > 1000 && !plain,
	   "of 60000 texts %d were rewritten, %d badly", changed, wrong);
}

/* Nothing may take time that grows with the square of the text. */
static void large(void)
{
	static const char *const scrap[] = {
	    "MPI_Send(", "/*", "R\"(",	"<", "\\\n",
	    "#if X\n",	 "'",  "*\\\n", "{", "#include <"};
	size_t size = 4 << 20, k;
	char *text = malloc(size);
	struct tape_rerouted r;

	for (size_t i = 0; text && i < sizeof scrap / sizeof *scrap; i++) {
		k = strlen(scrap[i]);
		for (size_t n = 0; n < size; n++)
			text[n] = scrap[i][n % k];
		ok(!tape_reroute("f.c", text, size, &r) &&
		       undone(&r, text, size),
		   "4 MiB of the same");
		tape_rerouted_free(&r);
	}
	free(text);
}

int main(void)
{
	calls();
	not_code();
	declarations();
	names();
	expanded();
	reported();
	macros();
	conditionals();
	lines();
	functions();
	any_bytes();
	large();
	tape_rerouted_free(&last);
	return done();
}
