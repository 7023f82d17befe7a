#!/bin/bash
# The source door: programs built by tapecc behave as those of mpicc, and
# their traces name the call sites. The compiler's view of a rewritten file
# (messages, debug information, dependencies) is that of the user's file.
# Truth: the program built by mpicc; lines of the source.
set -u
n=0
ok() { # STATUS WHAT
	n=$((n + 1))
	[ "$1" -eq 0 ] || printf 'not '
	echo "ok $n - $2"
}
same() { # GOT WANTED WHAT
	[ "$1" = "$2" ]
	ok $? "$3"
	[ "$1" = "$2" ] || printf '# got    %s\n# wanted %s\n' "$1" "$2"
}
B=$(cd "${TAPE_BUILD:?}" && pwd) || exit 1
if ! command -v mpicc >/dev/null || ! command -v mpirun >/dev/null; then
	echo "ok 1 - source # SKIP mpi is not installed"
	echo 1..1
	exit 0
fi
cc=$B/bin/tapecc pp=$B/bin/tapepp
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export TMPDIR=$work/tmp
mkdir tmp src src/in

cat >ring.c <<'END'
#define _GNU_SOURCE
#include "ring.h"
#include <stdio.h>

#define WAIT(r) \
	MPI_Wait(&(r), MPI_STATUS_IGNORE)

static int pass(int me, int size)
{
	int token = me, got = -1;
	MPI_Request r;

	MPI_Irecv(&got, 1, MPI_INT, (me + size - 1) % size, 5,
		  MPI_COMM_WORLD, &r);
	MPI_Send /* to the next */ (&token,
		1, MPI_INT, (me + 1) % size, 5, MPI_COMM_WORLD);
	WAIT(r);
	return got;
}

int main(int argc, char **argv)
{
	int me, size, sum = 0, got;
	int (*reduce)(const void *, void *, int, MPI_Datatype, MPI_Op,
		      MPI_Comm) = MPI_Allreduce;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	got = pass(me, size);
#if 0
	MPI_Barrier(not code);
#endif
	reduce(&got, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	HELLO("%s:%d %s %d %d\n", __FILE__, __LINE__, __func__, got, sum);
	return MPI_Finalize();
}
END
cat >ring.h <<'END'
#include <mpi.h>
#define HELLO(...) (me ? 0 : printf(__VA_ARGS__))
END

# ---- the three doors ----
run() { # LAUNCH...: the program's output
	timeout 60 mpirun -np 2 "$@" 2>err || cat err
}
sites() { # TRACE RANK: what rank R says of its sites
	sed -n 's/^site [0-9]* //p' "$1/rank.$2" | sort
}
mpicc -g ring.c -o plain && wanted=$(run ./plain)
mpicc -g ring.c -o linked -L"$B/lib" -ltape-mpi -Wl,-rpath,"$B/lib"
"$cc" -g -Wall -Wextra -Werror -pedantic ring.c -o source 2>reports
ok $? "builds without a warning"
same "$(cat reports)" "ring.c:25: MPI_Allreduce: used without a call,\
 not traced through its call site" "reports the address that is taken"
cp plain preloaded
same "$wanted" "ring.c:35 main 1 1" "the sample runs"
same "$(run ./source)" "$wanted" "source: the program's output"
same "$(run ./linked)" "$wanted" "link: the program's output"
same "$(run "$B/bin/taperun" ./preloaded)" "$wanted" \
	"preload: the program's output"
for t in source linked preloaded; do
	"$B/bin/sba" "$t.tape" >report 2>&1
	same "$?:$(grep '^messages' report)" "0:messages           2" \
		"$t: sba accepts the trace and finds the messages"
done
same "$(sites source.tape 0)" "101 27 ring.c main
103 36 ring.c main
120 15 ring.c pass
144 13 ring.c pass
170 6 ring.c %
341 28 ring.c main
342 29 ring.c main" \
	"the trace names line, file and function of the calls"
same "$(grep -c '^address' source.tape/rank.0)" 1 \
	"the call through a pointer is known by its address"
same "$(sites linked.tape 0)" "" "the other doors know addresses only"

# ---- what the compiler sees ----
same "$("$pp" --list ring.c 2>/dev/null | cut -f 2,3 | head -n 2)" "6	MPI_Wait
13	MPI_Irecv" "tapepp --list lists the sites"
"$cc" -g -c ring.c -o ring.o 2>/dev/null
same "$(readelf --debug-dump=info ring.o | sed -n -e \
	'/DW_TAG_compile_unit/,/comp_dir/s/.*_\(name\|comp_dir\) .*: //p')" \
	"ring.c
$work" "debug information names the user's file and folder"
readelf --debug-dump=decodedline ring.o | grep -Eq '^ring.c +15 '
ok $? "the line table names the call's line"
strings -a ring.o | grep -q "$TMPDIR"
ok $((! $?)) "the object does not know where it was rewritten"

printf '#include <mpi.h>\nint main(void)\n{\n\tMPI_Barrier(1,\n\t2);%s' \
	$'\n\treturn oops;\n}\n' >wrong.c
"$cc" -c wrong.c 2>err
same $? 1 "an error is an error"
same "$(grep -Eo '^wrong.c:6:[0-9]+: error: .oops' err | cut -c 1-10)" \
	"wrong.c:6:" "its message names the user's file and line"
grep -q "$TMPDIR" err
ok $((! $?)) "and no other file"
same "$(ls wrong.* ring.o)" "ring.o
wrong.c" "nothing is left behind"

# ---- a file without calls ----
printf 'int one(void)\n{\n\treturn 1; /* MPI_Send() \351 */\n}\r\n' >none.c
"$pp" none.c | cmp -s - none.c
ok $? "a file without calls comes out byte for byte"
mpicc -g -O2 -c none.c -o a.o && "$cc" -g -O2 -c none.c -o b.o && cmp a.o b.o
ok $? "and its object is that of mpicc"


# ---- tapepp's files ----
"$pp" -o no-folder/x ring.c 2>err
same "$?:$(cut -c 1-20 err)" "1:tapepp: no-folder/x:" "a folder that is missing"
if [ -c /dev/full ]; then
	"$pp" ring.c >/dev/full 2>err
	same $? 1 "a full disk is an error"
	"$pp" -o /dev/full ring.c 2>>err
	same "$?:$(test -c /dev/full; echo $?)" "1:0" "also with -o"
fi
echo old >kept.c
(ulimit -f 0; trap '' XFSZ; "$pp" -o kept.c ring.c 2>err)
same "$?:$(cat kept.c):$(echo kept.c*)" "1:old:kept.c" \
	"what could not be written whole is not written"
"$pp" -o kept.c ring.c 2>err && "$pp" ring.c 2>err | cmp -s - kept.c
ok $? "-o writes what standard output gets"
"$pp" 2>err
same $? 2 "no file is a wrong use"
same "$("$pp" --name other.c - <ring.c 2>err | grep -c '"other.c"'):$(
	cut -d : -f 1 err)" "8:other.c" "--name names the file"

# ---- command lines ----
cat >src/one.c <<'END'
#include "part.h"
#include <mpi.h>
int one(void)
{
	int v = WHICH;

	MPI_Comm_dup(MPI_COMM_WORLD, &(MPI_Comm){ 0 });
	MPI_Bcast(&v, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return v;
}
END
sed 's/one/two/; /dup/d' src/one.c >src/in/two.c
echo '#define WHICH 1' >src/part.h
echo '#define WHICH 2' >src/in/part.h
cat >main.c <<'END'
#include <mpi.h>
#include <stdio.h>
int one(void), two(void);
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	printf("%d %d\n", one(), two());
	return MPI_Finalize();
}
END
"$cc" main.c src/one.c src/in/two.c -o parts && same "$(./parts)" "1 2" \
	"sources of several folders find their own headers"
same "$(sites parts.tape 0 | cut -d ' ' -f 2-)" "6 main.c main
8 main.c main
7 src/in/two.c two
8 src/one.c one
7 src/one.c one" "and the trace names them"
"$cc" -c src/one.c src/in/two.c && "$cc" -c main.c &&
	"$cc" main.o one.o two.o -o objects
same "$(./objects)" "1 2" "-c without -o, then objects"
same "$("$cc" -E src/one.c | grep -c "$TMPDIR")" 0 \
	"-E does not tell where the file was rewritten"
"$cc" -E src/one.c | grep -q 'tape_MPI_Bcast(&tape_sites\[1\]'
ok $? "and shows the rewritten calls"
"$cc" -x c -Isrc -o standard main.c - src/in/two.c <src/one.c
same "$(./standard)" "1 2" "standard input among files"
echo "'src/one.c' -c -o \"at one.o\"" >words
"$cc" @words && nm "at one.o" | grep -q tape_MPI_Bcast
ok $? "arguments in a file"
"$cc" -S src/one.c && grep -q tape_MPI_Bcast one.s
ok $? "-S"
depend() { # FILE ARGUMENT...: the .d file without folders of the system
	local f=$1
	shift
	rm -f ./*.d
	"$cc" "$@" && tr -d '\\\n' <"$f" | tr -s ' ' '\n' |
		grep -v '^/usr' | sed "s|^$B/include/||" | tr '\n' ' '
}
headers="tape/site.h src/part.h tape/mpi.h"
seen=$(depend one.d -MMD -c src/one.c)
same "${seen/ tape\/tape_prototypes.h/}" "one.o: src/one.c $headers " "-MMD"
seen=$(depend x.d -MD -MF x.d -MT y -c src/one.c)
same "${seen%% /*}" "y: src/one.c $headers tape/tape_prototypes.h " \
	"-MD -MF -MT"
seen=$(depend w.d -Wp,-MMD,w.d -c src/one.c)
same "$seen" "one.o: src/one.c $headers " "-Wp,-MMD,file"
seen=$(depend parts.d -MMD main.c src/one.c src/in/two.c -o parts)
same "${seen%% *}" "parts:" "-MMD while linking sources of several folders"
cp src/one.c 'o n$e#.c' && cp src/part.h .
seen=$(depend odd.d -MMD -MF odd.d -MT y -c 'o n$e#.c')
same "${seen%%tape/*}" 'y: o n$$e#.c ' "-MMD of an odd name"
same "$("$cc" -MM src/one.c)" "$(mpicc -MM src/one.c)" "-MM"
same "$("$cc" -showme:version 2>&1)" "$(mpicc -showme:version 2>&1)" \
	"-showme:version"
"$cc" -dumpversion >/dev/null && "$cc" --version | grep -q .
ok $? "questions without a file"
"$cc" -c no-such.c 2>err
same "$?:$(grep -c 'no-such.c' err)" "1:1" "a file that is not there"
echo 'int main() { return sizeof(class {int a;} *) > 99; }' >p.cc
"$cc" -c p.cc 2>err
same "$?" "$(mpicc -c p.cc 2>/dev/null; echo $?)" "other languages pass"

printf '%s\n' '#include <stdio.h>' \
	'static void here(void) { puts(__FILE__ " " __BASE_FILE__); }' >here.h
printf '%s\n' '#include "here.h"' '#include <mpi.h>' \
	'int main(void) { here(); return 0 && MPI_Finalize(); }' >here.c
cp here.h src; cp here.c src/here.c
for f in here.c ./here.c src/here.c "$work/here.c"; do
	mpicc "$f" -o here && wanted=$(./here)
	"$cc" "$f" -o here && same "$(./here)" "$wanted" "__FILE__ with ${f/"$work"/WORK}"
done
cp here.c same.c
"$cc" -c same.c -o same.c 2>err
same "$?:$(cmp same.c here.c)" "1:" "does not write over its input"
"$cc" -c here.c src/here.c -o x.o 2>err
same "$?:$(grep -c -e -o err)" "1:1" "one output for two objects is refused"

# ---- make and configure ----
cat >Makefile <<'END'
CFLAGS = -O2 -MMD
prog: main.o one.o two.o
	$(CC) $^ -o $@
one.o: src/one.c
	$(CC) $(CFLAGS) -c $< -o $@
two.o: src/in/two.c
	$(CC) $(CFLAGS) -c $< -o $@
-include *.d
END
rm -f ./*.o ./*.d
make -s CC="$cc" prog && same "$(./prog)" "1 2" "make CC=tapecc"
touch src/part.h
same "$(make -n CC="$cc" prog | grep -c one.c)" 1 "its dependencies work"
mkdir conf && cd conf && printf '%s\n' 'char MPI_Init ();' \
	'int main () { return MPI_Init (); }' >conftest.c
"$cc" -o conftest -g -O2 conftest.c 2>/dev/null && [ -x conftest ]
ok $? "a configure script finds MPI_Init"
echo 'int main(void) { return 0; }' >conftest.c
"$cc" conftest.c && [ -x a.out ] && ./a.out
ok $? "and that the compiler works"
cd ..
same "$(ls tmp)" "" "no temporary file is left"
echo "1..$n"
