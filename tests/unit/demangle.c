/* Names of functions, shortened for people. */
#include <string.h>

#include "demangle.h"
#include "tap.h"

static const char *const full[][2] = {
	{ "main", "main" },
	{ "halo::exchange(int, double*)", "halo::exchange" },
	{ "void halo::exchange<double>(int)", "halo::exchange<double>" },
	{ "std::vector<int, std::allocator<int> > f<int>(int (*)(char))",
	  "f<int>" },
	{ "halo::Domain::size() const", "halo::Domain::size" },
	{ "halo::Domain::operator()(int, double)", "halo::Domain::operator()" },
	{ "halo::Domain::operator<<(int) const", "halo::Domain::operator<<" },
	{ "bool operator< <int>(A<int> const&)", "operator< <int>" },
	{ "halo::Domain::operator->()", "halo::Domain::operator->" },
	{ "halo::Domain::operator[](int)", "halo::Domain::operator[]" },
	{ "halo::Domain::operator double() const",
	  "halo::Domain::operator double" },
	{ "operator new(unsigned long)", "operator new" },
	{ "(anonymous namespace)::hidden(int)", "hidden" },
	{ "void a::(anonymous namespace)::b<int>(int)", "a::b<int>" },
	{ "main::{lambda(int, char)#" "1}::operator()(int, char) const",
	  "main::{lambda}" },
	{ "f(int (*)(int))::{lambda(int (*)())#" "2}::operator()() const",
	  "f(int (*)(int))::{lambda}" },
	{ "{lambda(", "{lambda(" },
	{ "int f<(A)1>(int)", "f<(A)1>" },
	{ "f(int) [clone .isra.0]", "f" },
	{ "", "" },
	{ "(", "(" },
	{ "<<<<", "<<<<" },
	{ ")))", ")))" },
	{ "operator", "operator" },
};

static void shortens(void)
{
	char to[200];

	for (size_t i = 0; i < sizeof full / sizeof *full; i++) {
		tape_demangle_shorten(full[i][0], to, sizeof to);
		ok(!strcmp(to, full[i][1]), "\"%s\" is short for \"%s\"%s%s",
		   full[i][1], full[i][0],
		   strcmp(to, full[i][1]) ? ", not " : "",
		   strcmp(to, full[i][1]) ? to : "");
	}
}

static void keeps(void)
{
	char to[200];

	ok(!strcmp(tape_demangle("exchange_", to, sizeof to), "exchange_") &&
		   !strcmp(tape_demangle("", to, sizeof to), ""),
	   "names that are no C++ stay");
	ok(!strcmp(tape_demangle("__halo_MOD_exchange", to, sizeof to),
		   "exchange"),
	   "a procedure of a Fortran module");
	ok(!strcmp(tape_demangle("_Znonsense", to, sizeof to), "_Znonsense"),
	   "what only begins like C++ stays");
#ifdef TAPE_HAVE_CXX
	ok(!strcmp(tape_demangle("_ZN4halo8exchangeIdEEvi", to, sizeof to),
		   "halo::exchange<double>"),
	   "C++");
#endif
}

static void cuts(void)
{
	char to[12];

	memset(to, 'x', sizeof to);
	tape_demangle("a_name_too_long_to_fit", to, 10);
	ok(!strcmp(to, "a_name...") && to[10] == 'x', "long names are cut");
	ok(!strcmp(tape_demangle("nine_char", to, 10), "nine_char"),
	   "a name that just fits");
	ok(!strcmp(tape_demangle("ten_charac", to, 10), "ten_ch..."),
	   "a name that just does not");
}

int main(void)
{
	shortens();
	keeps();
	cuts();
	return done();
}
