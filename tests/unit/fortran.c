/*
 * Rerouting of sources in Fortran on strings. In expected texts "@" stands for
 * the statement that the next site makes of itself, "%12" at the start of a
 * line for a line directive, and the first line, always such a one, is left
 * out. The numbers of sites are those of the calls' lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "reroute.h"
#include "tap.h"

static struct tape_rerouted last;
static int columns = 72;

/* What site i is announced by; s is its text. */
static size_t announcement(size_t i, char *to)
{
	const struct tape_reroute_site *s = &last.sites[i];
	const char *stop = columns ? "\n     &" : "&\n&";
	unsigned end = s->call == 900 ? 907 : s->call == 920 ? 927 : s->call;

	return (size_t)sprintf(to, "      call tape_%.3s_at(%u,%u,%d,%s'%s',%zu"
				   ",%s'%s',%zu)\n", s->name, s->call, end,
			       s->line, stop, s->file, strlen(s->file), stop,
			       s->function, strlen(s->function));
}

static size_t spell(const char *s, char *to)
{
	char *q = to + sprintf(to, "# 1 \"f.f\"\n");
	size_t site = 0;
	int used;

	for (; *s; s++) {
		if (*s == '@' && site < last.site_count) {
			q += announcement(site++, q);
		} else if (*s == '%' && s[1] >= '0' && s[1] <= '9') {
			int line = 0;

			sscanf(s + 1, "%d%n", &line, &used);
			q += sprintf(q, "# %d \"f.f\"", line);
			s += used;
		} else {
			*q++ = *s;
		}
	}
	*q = '\0';
	return (size_t)(q - to);
}

static int matches(const char *expected)
{
	static char want[1 << 16];
	size_t n = spell(expected, want);

	if (last.n == n && !memcmp(last.text, want, n))
		return 1;
	printf("# got\n%.*s# want\n%s", (int)last.n, last.text, want);
	return 0;
}

/* in becomes out, with reports reports; out NULL: nothing may change. */
static void check(const char *what, const char *in, const char *out,
		  size_t reports)
{
	size_t n = strlen(in);
	int good;

	tape_rerouted_free(&last);
	good = !tape_reroute_fortran("f.f", in, n, columns, &last);
	if (good && out)
		good = matches(out);
	else if (good)
		good = last.n == n && (!n || !memcmp(last.text, in, n)) &&
		       !last.site_count;
	if (last.report_count != reports)
		printf("# %zu reports\n", last.report_count);
	ok(good && last.report_count == reports, "%s", what);
}

static void site(size_t i, const char *name, int line, const char *function)
{
	const struct tape_reroute_site *s = &last.sites[i];
	int good = i < last.site_count && !strcmp(s->name, name) &&
		   s->line == line && !strcmp(s->function, function);

	if (!good && i < last.site_count)
		printf("# %s %d %s\n", s->name, s->line, s->function);
	ok(good, "  site %zu is %s, line %d, in \"%s\"", i, name, line,
	   function);
}

static void why(size_t i, enum tape_left reason, int line)
{
	ok(i < last.report_count && last.reports[i].why == reason &&
		   last.reports[i].line == line,
	   "  report %zu is of line %d: %s", i, line, tape_left_text(reason));
}

static void fixed(void)
{
	columns = 72;
	check("nothing", "", NULL, 0);
	check("no call", "      program x\n      end\n", NULL, 0);
	check("a call", "      program x\n      call mpi_init(i)\n      end\n",
	      "      program x\n@%2\n      call mpi_init(i)\n      end\n", 0);
	site(0, "mpi_init", 2, "x");
	ok(last.n && strstr(last.text,
			    "\n      call tape_mpi_at(101,101,2,\n"
			    "     &'f.f',3,\n     &'x',1)\n# 2 \"f.f\"\n"),
	   "  as it is written");
	check("any letters, and blanks that may be or not",
	      "       CALL  MPI_Send ( A )\n      CALLMPI_RECV(B)\n",
	      "@%1\n       CALL  MPI_Send ( A )\n@%2\n      CALLMPI_RECV(B)\n",
	      0);
	check("what only looks like one",
	      "c     call mpi_send(a)\n"
	      "* call mpi_send(a)\n"
	      "! call mpi_send(a)\n"
	      "d     call mpi_send(a)\n"
	      "      x = 1 ! call mpi_send(a)\n"
	      "      print *, 'it''s', ' call mpi_send(a)', \"' call mpi_x\"\n"
	      "      print *, '! ; call mpi_send(a)'; x = 2\n"
	      "      call mpi_send = 3\n"
	      "      call mpi_send(3) = 4\n"
	      "      call mpi_sending(a)\n"
	      "      call pmpi_send(a)\n"
	      "      call x%mpi_send(a)\n"
	      "      external mpi_send\n"
	      "      x = mpi_send(a)\n",
	      NULL, 0);
	check("a call over several lines, comments between",
	      "      call mpi_send(a,\nc it's\n\n     &  b)\n      x = 1\n",
	      "@%1\n      call mpi_send(a,\nc it's\n\n     &  b)\n"
	      "      x = 1\n", 0);
	check("behind a string over several lines",
	      "      s = 'call mpi_send(a)\n     &it''s; call mpi_send(b)'\n"
	      "      call mpi_recv(c)\n",
	      "      s = 'call mpi_send(a)\n     &it''s; call mpi_send(b)'\n"
	      "@%3\n      call mpi_recv(c)\n", 0);
	check("what stands behind column 72 is no text",
	      "      x = 1                                                   "
	      "          ; call mpi_send(a)\n", NULL, 0);
	columns = 132;
	check("but may be on wider lines",
	      "      x = 1                                                   "
	      "     ; call mpi_send(a)\n",
	      "      x = 1                                                   "
	      "     ; \n@%1\n                                                 "
	      "                    call mpi_send(a)\n", 0);
	columns = 72;
	check("a tab ends the label's columns",
	      "\tcall mpi_send(a,\n\t1 b)\n\tx = 1\n",
	      "@%1\n\tcall mpi_send(a,\n\t1 b)\n\tx = 1\n", 0);
	check("labels",
	      "   10 call mpi_send(a)\n   20 if (x) call mpi_recv(b)\n", NULL,
	      2);
	why(1, TAPE_LEFT_LABEL, 2);
	check("a last line without end", "      call mpi_finalize",
	      "@%1\n      call mpi_finalize", 0);
	check("lines that end in CR LF",
	      "      if (x) call mpi_send(a)\r\n      y = 1\r\n",
	      "      if (x) then\n@%1\n             call mpi_send(a)\r\n"
	      "      end if\n%2\n      y = 1\r\n", 0);
}

static void ifs(void)
{
	columns = 72;
	check("if becomes a block",
	      "      if (r .eq. (0)) call mpi_send(a,\n     & b)\n"
	      "      x = 1\n",
	      "      if (r .eq. (0)) then\n@%1\n"
	      "                      call mpi_send(a,\n     & b)\n"
	      "      end if\n%3\n      x = 1\n", 0);
	site(0, "mpi_send", 1, "");
	check("its condition goes over lines",
	      "      if (r .eq.\n     &')(' ) call mpi_send(a,\n"
	      "     & b) ! (\nc\n      x = 1\n",
	      "      if (r .eq.\n     &')(' ) then\n@%2\n"
	      "             call mpi_send(a,\n     & b) ! (\n"
	      "      end if\n%4\nc\n      x = 1\n", 0);
	site(0, "mpi_send", 2, "");
	check("its last line has no end", "      if (a) call mpi_finalize(b)",
	      "      if (a) then\n@%1\n             call mpi_finalize(b)\n"
	      "      end if\n%2\n", 0);
	check("the word call on two lines",
	      "      if (r .eq. 0)                                           "
	      "        ca\n     &ll mpi_send(a)\n", NULL, 1);
	why(0, TAPE_LEFT_CROWDED, 1);
	check("more behind it on its line",
	      "      if (a) call mpi_send(b); x = 1\n", NULL, 1);
	check("blocks stay",
	      "      if (a) then; call mpi_send(b); else\n"
	      "      call mpi_recv(c)\n      endif\n",
	      "      if (a) then; \n@%1\n                   call mpi_send(b);"
	      " else\n@%2\n      call mpi_recv(c)\n      endif\n", 0);
	check("nothing more behind it",
	      "      if (a) call mpi_send(b); ! c\n      x = 1\n",
	      "      if (a) then\n@%1\n             call mpi_send(b); ! c\n"
	      "      end if\n%2\n      x = 1\n", 0);
	columns = 0;
	check("in free form",
	      "if (a &\n  & > 1) & ! why\n  & call mpi_send(b, & ! (\n\n  c)\n"
	      "x = 1\n",
	      "if (a &\n  & > 1) & ! why\n  & then\n@%3\n"
	      "    call mpi_send(b, & ! (\n\n  c)\n      end if\n%6\nx = 1\n",
	      0);
}

static void free_form(void)
{
	columns = 0;
	check("free form", "call MPI_Init(i)\n  call mpi_send(a, &\n    b)\n",
	      "@%1\ncall MPI_Init(i)\n@%2\n  call mpi_send(a, &\n    b)\n", 0);
	check("what only looks like one",
	      "print *, 'call mpi_send(a)' ! ' call mpi_send(a)\n"
	      "s = 'it''s & ; call mpi_send(a) &\n  &; call mpi_send(b)'\n"
	      "callmpi_send(a)\n10 call mpi_send(a)\n",
	      NULL, 1);
	why(0, TAPE_LEFT_LABEL, 5);
	check("statements on one line",
	      "a = 1; call mpi_send(b) ;call mpi_recv(c); d = 2\n",
	      "a = 1; \n@%1\n       call mpi_send(b) ;\n@%1\n"
	      "                         call mpi_recv(c); d = 2\n", 0);
	check("behind a line that goes on",
	      "a = 1; &\n  call mpi_send(b)\n", NULL, 1);
	why(0, TAPE_LEFT_CROWDED, 2);
	check("a word on two lines", "call mpi_&\n  &send(b)\n",
	      "@%1\ncall mpi_&\n  &send(b)\n", 0);
	check("a byte order mark", "\xef\xbb\xbfx = 1\n", NULL, 0);
	tape_rerouted_free(&last);
	ok(!tape_reroute_fortran("f.f", "\xef\xbb\xbf" "call mpi_init(i)\n", 20,
				 0, &last) &&
		   last.n > 20 && !memcmp(last.text, "\xef\xbb\xbf# 1 ", 7),
	   "it stays first");
}

static void functions(void)
{
	columns = 0;
	check("a function in an assignment",
	      "t = mpi_wtime() - t0\na%mpi_wtime(3) = 1\nreal :: mpi_wtime\n",
	      "@%1\nt = mpi_wtime() - t0\na%mpi_wtime(3) = 1\n"
	      "real :: mpi_wtime\n", 0);
	check("what may be the declaration of one",
	      "real f, x\nf(x) = mpi_wtime() - x\nx = 1\n"
	      "t(1) = mpi_wtime()\n",
	      "real f, x\nf(x) = mpi_wtime() - x\nx = 1\n"
	      "@%4\nt(1) = mpi_wtime()\n", 1);
	why(0, TAPE_LEFT_FUNCTION, 2);
	check("in other statements",
	      "if (a) t = mpi_wtime()\ndo while (mpi_wtime() < t)\n"
	      "t = mpi_wtime() - mpi_wtime()\n", NULL, 3);
	why(2, TAPE_LEFT_FUNCTION, 3);
}

static void units(void)
{
	columns = 0;
	check("modules and procedures",
	      "module m\ncontains\n"
	      "recursive subroutine a(x) bind(c, name = 'end')\n"
	      "call mpi_barrier(c)\nif (x) then\nend if\n"
	      "contains\ninteger(kind(1)) function b(y) result(z)\n"
	      "call mpi_barrier(c)\nend\n"
	      "call mpi_barrier(c)\nend subroutine a\n"
	      "interface\nsubroutine mpi_barrier(x)\nend subroutine\n"
	      "end interface\nend module\n"
	      "double precision function d ( )\nend = 3\n"
	      "call mpi_barrier(c)\nend function\n"
	      "call mpi_barrier(c)\nend\n",
	      "module m\ncontains\n"
	      "recursive subroutine a(x) bind(c, name = 'end')\n"
	      "@%4\ncall mpi_barrier(c)\nif (x) then\nend if\n"
	      "contains\ninteger(kind(1)) function b(y) result(z)\n"
	      "@%9\ncall mpi_barrier(c)\nend\n"
	      "@%11\ncall mpi_barrier(c)\nend subroutine a\n"
	      "interface\nsubroutine mpi_barrier(x)\nend subroutine\n"
	      "end interface\nend module\n"
	      "double precision function d ( )\nend = 3\n"
	      "@%20\ncall mpi_barrier(c)\nend function\n"
	      "@%22\ncall mpi_barrier(c)\nend\n", 0);
	site(0, "mpi_barrier", 4, "a");
	site(1, "mpi_barrier", 9, "b");
	site(2, "mpi_barrier", 11, "a");
	site(3, "mpi_barrier", 20, "d");
	site(4, "mpi_barrier", 22, "");
	check("a module procedure of a submodule",
	      "submodule (m) s\ncontains\nmodule procedure p\n"
	      "call mpi_barrier(c)\nend procedure\nend submodule\n",
	      "submodule (m) s\ncontains\nmodule procedure p\n"
	      "@%4\ncall mpi_barrier(c)\nend procedure\nend submodule\n", 0);
	site(0, "mpi_barrier", 4, "p");
	check("an interface ends with what is around it",
	      "module m\ninterface\ncontains\nsubroutine s\n"
	      "call mpi_barrier(c)\nend\nend\n",
	      "module m\ninterface\ncontains\nsubroutine s\n"
	      "@%5\ncall mpi_barrier(c)\nend\nend\n", 0);
	check("a procedure of the file's own",
	      "subroutine mpi_send(a)\nend\ncall mpi_send(a)\n", NULL, 1);
	why(0, TAPE_LEFT_DECLARED, 3);
	check("none may be external",
	      "implicit none (type, external)\ncall mpi_send(a)\n", NULL, 1);
	why(0, TAPE_LEFT_EXTERNAL, 2);
}

static void preprocessor(void)
{
	columns = 0;
	check("each branch has its site",
	      "#ifdef A\nsubroutine s\n#else\nsubroutine t\n#endif\n"
	      "#if A\ncall mpi_send(a, &\n#elif B\ncall mpi_recv(b, &\n#endif\n"
	      "c)\nend\nsubroutine u\ncall mpi_barrier(c)\nend\n"
	      "call mpi_barrier(c)\nend\n",
	      "#ifdef A\nsubroutine s\n#else\nsubroutine t\n#endif\n"
	      "#if A\n@%7\ncall mpi_send(a, &\n#elif B\n@%9\n"
	      "call mpi_recv(b, &\n#endif\nc)\nend\nsubroutine u\n"
	      "@%14\ncall mpi_barrier(c)\nend\n"
	      "@%16\ncall mpi_barrier(c)\nend\n", 0);
	site(2, "mpi_barrier", 14, "u");
	site(3, "mpi_barrier", 16, "");
	check("what is cut away stays",
	      "#if 0\ncall mpi_send('\n#else\ncall mpi_recv(b)\n#endif\n",
	      "#if 0\ncall mpi_send('\n#else\n@%4\ncall mpi_recv(b)\n#endif\n",
	      0);
	check("an if that is cut",
	      "if (a) call mpi_send(b, &\n#ifdef C\nc)\n#else\nd)\n#endif\n",
	      NULL, 1);
	why(0, TAPE_LEFT_CUT, 1);
	check("a macro", "#define MPI_SEND mine \\\n  call mpi_recv(a)\n"
			 "call MPI_SEND(a)\n", NULL, 1);
	why(0, TAPE_LEFT_MACRO, 3);
	check("an if that ends in one branch",
	      "#ifdef C\nif (a) call mpi_send(b, &\n#else\ncall mpi_recv( &\n"
	      "#endif\nc)\n",
	      "#ifdef C\nif (a) call mpi_send(b, &\n#else\n@%4\n"
	      "call mpi_recv( &\n#endif\nc)\n", 1);
}

static void marked(void)
{
	static const char in[] = "#line 30 \"g'.h\"\ncall mpi_send(a)\n";

	columns = 0;
	tape_rerouted_free(&last);
	ok(!tape_reroute_fortran("f.f", in, strlen(in), 0, &last) &&
		   last.site_count == 1 && last.sites[0].line == 30 &&
		   !strcmp(last.sites[0].file, "g'.h"),
	   "line markers count");
	ok(strstr(last.text, "30,&\n&'g''.h',4,&\n&'',0)\n# 30 \"g'.h\"\ncall ")
		   != NULL, "  in the text, too");
}

static void long_names(void)
{
	char name[400];
	const char *p;
	size_t widest = 0;

	columns = 72;
	memset(name, '\'', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	tape_rerouted_free(&last);
	ok(!tape_reroute_fortran(name, "      call mpi_init(i)\n", 24, 72,
				 &last) && last.site_count == 1,
	   "a long name of quotes");
	for (p = last.text; p && *p && p < last.text + last.n;) {
		size_t n = strcspn(p, "\n");

		if (*p != '#' && n > widest)
			widest = n;
		p += n + 1;
	}
	ok(widest && widest <= 72, "  no line is wider than 72 columns");
}

int main(void)
{
	fixed();
	ifs();
	free_form();
	functions();
	units();
	preprocessor();
	marked();
	long_names();
	tape_rerouted_free(&last);
	return done();
}
