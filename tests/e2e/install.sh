#!/bin/bash
# make install, what is installed works from where it is, make uninstall.
# Truth: the list of files; programs built from elsewhere.
set -u
: "${TAPE_TOP:=$(cd "$(dirname "$0")/../.." && pwd)}" "${TAPE_BUILD:=$TAPE_TOP/build}"
TAPE_BUILD=$(cd "$TAPE_TOP" && realpath "$TAPE_BUILD")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
n=0 bad=0
root=$tmp/root
usr=$root/usr
# as if $root were the root of the system
pkgconfig="env PKG_CONFIG_LIBDIR=$usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
	PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 pkg-config"

# ok WHAT COMMAND...: one test; what the command says is shown when it fails
ok() {
	local what=$1 out
	shift; n=$((n + 1))
	if out=$("$@" 2>&1); then
		echo "ok $n - $what"
	else
		sed 's/^/# /' <<<"$out"
		echo "not ok $n - $what"; bad=1
	fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
has() { command -v "$1" >/dev/null; }
make_() { make -s --no-print-directory -C "$TAPE_TOP" B="$TAPE_BUILD" PREFIX=/usr DESTDIR="$root" "$@"; }

versions() {
	local p
	for p in sba tico tapedump; do
		[ -x "$usr/bin/$p" ] || { echo "$p is missing"; return 1; }
	done
	for p in "$usr"/bin/*; do
		[[ $p == */tape[cf]c ]] && continue # that of the compiler
		[ "$("$p" -V </dev/null)" = "${p##*/} $1" ] || { echo "$p: $("$p" -V 2>&1)"; return 1; }
	done
}

pages() {
	local p page
	for p in "$usr"/bin/*; do
		page=$usr/share/man/man1/${p##*/}.1
		[ -f "$page" ] || { echo "no $page"; return 1; }
	done
	for p in man3/tape.3 man3/tape_on.3 man3/tape_hsplit.3 man5/tape.conf.5 man5/tape-trace.5 \
		man7/tape.7 man7/tape-calls.7; do
		[ -f "$usr/share/man/$p" ] || { echo "no $p"; return 1; }
	done
}

warnings() {
	local f out
	while read -r f; do
		# the others are ".so man3/tape.3", relative to share/man
		[ "$(head -c 4 "$f")" = ".so " ] && continue
		out=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$f" 2>&1 >/dev/null)
		[ -z "$out" ] || { echo "$f: $out"; return 1; }
	done < <(find "$usr/share/man" -type f)
}

# A trace of one rank made by hand, a program that counts its events.
reader_program() {
	local san= flags
	{
		printf 'meta\n\ttape-trace 1\n\tranks 1\n\tbase local\n\tdomain 0 x h\n'
		printf 'rank 0\n\ttape-rank 1\n\trank 0\n\thost h\n\tpid 1\n\tdomain 0\n'
		printf '\ttick_hz 1e9\n\tsite 1 200 7 a.c main\n\tcomm 1 1 1 0 W\n'
		printf 'flow 0 0\n\tanchor 10 10 0\n\tanchor 90 90 0\n'
		printf '\t20 +5 MPI_Barrier @1 comm=1\n\t30 +5 MPI_Barrier @1 comm=1\n\tend finalize 0\n'
	} > one.txt
	"$usr/bin/tapedump" --assemble -o one.tape one.txt || return 1
	cat > count.c <<-'C'
	#include <stdio.h>
	#include <tape_reader.h>

	int main(int argc, char **argv)
	{
		struct tape_trace *t;
		struct tape_merge *m;
		const struct tape_event *e;
		int n = 0;

		if (argc != 2 || tape_trace_open(argv[1], &t) < 0) {
			fprintf(stderr, "%s\n", tape_trace_error(t));
			return 1;
		}
		if (tape_merge_open(t, &m))
			return 1;
		while (tape_merge_next(m, &e) == 1)
			n++;
		printf("%d events\n", n);
		tape_merge_close(m);
		tape_trace_close(t);
		return 0;
	}
	C
	nm "$usr/lib/libtape-reader.a" | grep -q __asan_init && san=-fsanitize=address,undefined
	flags=$($pkgconfig --cflags --libs tape-reader) || return 1
	# shellcheck disable=SC2086 # lists of words
	cc -Wall -Werror $san count.c $flags -o count || return 1
	[ "$(./count one.tape)" = "2 events" ] || { ./count one.tape; return 1; }
}

mpi_program() {
	local flags
	cat > linked.c <<-'C'
	#include <mpi.h>
	#include <tape.h>

	int main(int argc, char **argv)
	{
		MPI_Init(&argc, &argv);
		tape_enter("middle");
		MPI_Barrier(MPI_COMM_WORLD);
		tape_leave();
		MPI_Finalize();
		return 0;
	}
	C
	flags=$($pkgconfig --cflags --libs tape-mpi) || return 1
	# shellcheck disable=SC2086
	mpicc -Wall -Werror linked.c $flags -Wl,-rpath,"$usr/lib" -o linked || return 1
	mpirun -np 1 ./linked || return 1
	"$usr/bin/tapedump" -c linked.tape | cut -d, -f5,9 > events
	grep -qx 'enter,middle' events && grep -q '^MPI_Barrier,' events || { cat events; return 1; }
}

# communicators along the hardware: two lines for a newcomer, and Fortran's module
hsplit_program() {
	local flags
	cat > split.c <<-'C'
	#include <stdio.h>
	#include <tape_hsplit.h>

	int main(int argc, char **argv)
	{
		const char *type;
		MPI_Comm alone;

		MPI_Init(&argc, &argv);
		tape_hsplit(MPI_COMM_WORLD, MPI_INFO_NULL, &alone);
		tape_get_min_hlevel(MPI_COMM_WORLD, 1, (int[]){ 0 }, &type);
		printf("%s %d\n", type, alone == MPI_COMM_NULL);
		MPI_Finalize();
		return 0;
	}
	C
	flags=$($pkgconfig --cflags --libs tape-hsplit) || return 1
	# shellcheck disable=SC2086
	mpicc -Wall -Werror split.c $flags -o split || return 1
	mpirun -np 1 env TAPE_BINDING=0 ./split > split.out || return 1
	grep -qE '^[A-Z][A-Za-z0-9]+ 1$' split.out || { cat split.out; return 1; }
	[ -f "$usr/include/tape_hsplit.f90" ] && [ -f "$usr/share/man/man3/tape_hsplit_all.3" ]
}

# tapecc finds headers and library from where it is
source_program() {
	printf '#include <mpi.h>\nint main(int c, char **v)\n{\n\tMPI_Init(&c, &v);\n\tMPI_Barrier(MPI_COMM_WORLD);\n\treturn MPI_Finalize();\n}\n' > source.c
	"$usr/bin/tapecc" -Wall -Werror source.c -o source && mpirun -np 1 ./source || return 1
	"$usr/bin/tapedump" -c source.tape | cut -d, -f5-8 | grep -qx 'MPI_Barrier,source.c,5,main' ||
		{ "$usr/bin/tapedump" -c source.tape; return 1; }
}

# and tapefc the module
source_in_fortran() {
	command -v mpifort > /dev/null || return 0
	printf 'use tape\nuse mpi\ncall MPI_Init(i)\ncall tape_enter("a b  ")\ncall MPI_Finalize(i)\nend\n' > region.f90
	"$usr/bin/tapefc" region.f90 -o region && mpirun -np 1 ./region || return 1
	"$usr/bin/tapedump" -c region.tape | grep -q ',enter,,,,a b,' ||
		{ "$usr/bin/tapedump" -c region.tape; return 1; }
}

preloaded() {
	printf '#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return 0; }\n' > plain.c
	mpicc plain.c -o plain && mpirun -np 2 "$usr/bin/taperun" ./plain || return 1
	[ "$("$usr/bin/tapedump" -c plain.tape | grep -c MPI_Barrier)" = 2 ] ||
		{ "$usr/bin/tapedump" -c plain.tape; return 1; }
}

# Clocks that go wrong are the rigs' (tests/rigs/warp), counters that lie too: of
# those nothing is installed, nor anything that a variable for tests would set.
no_rigs() {
	local f found
	found=$(find "$usr/bin" "$usr/lib" -type f | while read -r f; do
		strings -a "$f" | grep -E 'TAPE_TEST|WARP|tape_be(nd|nt)' | sed "s|^|$f: |"
	done | sort -u)
	[ -z "$found" ] || { echo "$found"; return 1; }
	[ ! -e "$usr/rig" ] && [ -z "$(find "$root" -name '*warp*')" ]
}

gone() {
	local left
	left=$(find "$root" ! -type d; find "$root" -type d -name 'tape*')
	[ "$left" = "$usr/bin/mine" ] || { echo "left: $left"; return 1; }
}

commands() {
	local list
	list=$(make_ compile_commands.json) || return 1
	python3 - "$list" <<-'P'
	import json, os, sys
	entries = json.load(open(sys.argv[1]))
	names = [os.path.normpath(os.path.join(e["directory"], e["file"])) for e in entries]
	assert any(n.endswith("reader/flow/flow.c") for n in names), names
	assert all(e["file"] in e["command"] for e in entries)
	P
}

packed() {
	make_ dist || return 1
	tar tzf "$TAPE_BUILD/tape-$1.tar.gz" | grep -qx "tape-$1/catalogue/mpi.tab"
}

version=$(sed -n 's/^VERSION *:= *//p' "$TAPE_TOP/Makefile")
ok "make install" make_ install
ok "every program says its version from its new place" versions "$version"
ok "every program has its page, and so have formats and functions" pages
if has man; then ok "no page makes man warn" warnings
else skip "no page makes man warn" "man is not installed"; fi
if has pkg-config; then ok "a program builds against the reader with pkg-config" reader_program
else skip "a program builds against the reader with pkg-config" "pkg-config is not installed"; fi
if [ ! -e "$usr/lib/libtape-mpi.so" ]; then
	skip "the installed taperun traces a program" "mpi is not installed"
	skip "a program builds against libtape-mpi" "mpi is not installed"
else
	ok "the installed taperun traces a program" preloaded
	if ! has pkg-config; then skip "a program builds against libtape-mpi" "pkg-config is not installed"
	else
		ok "a program builds against libtape-mpi" mpi_program
		ok "a program builds against libtape-hsplit" hsplit_program
	fi
	if [ -x "$usr/bin/tapecc" ]; then
		ok "the installed tapecc makes a traced program" source_program
		ok "the installed tapefc has the module" source_in_fortran
	fi
fi
if has strings; then ok "nothing of the tests' clocks is installed" no_rigs
else skip "nothing of the tests' clocks is installed" "strings is not installed"; fi
touch "$usr/bin/mine"
ok "make uninstall" make_ uninstall
ok "make uninstall leaves what is not ours, and nothing else" gone
if has python3; then ok "make compile_commands.json names every source" commands
else skip "make compile_commands.json names every source" "python3 is not installed"; fi
if git -C "$TAPE_TOP" rev-parse HEAD >/dev/null 2>&1; then ok "make dist packs the source" packed "$version"
else skip "make dist packs the source" "git is not there"; fi
echo "1..$n"
exit $bad
