#!/bin/bash
# The source door for PVM: tapecc builds a program of it, whose output is that of
# the compiler's, whose events are those of the preload door, and whose trace
# names file, line and function without debug information.
# Truth: the program built by the compiler; lines of the source.
. "$(dirname "$0")/pvm.bash"
need jq
[ -e "$TAPE_BUILD/lib/libtape-pvm.so" ] || needs_pvm libtape-pvm.so
lib=$TAPE_BUILD/lib
cp "$here/pvm_source.c" talk.c
echo '#include <pvm3.h>' | gcc -E - >/dev/null 2>&1 || needs_pvm pvm3.h

# tasks are started by their path
in_pvm() { pvm_machine bash -c 'exec "$@"' bash "$@"; }

# events TRACE: of each rank, without dates, places, and what is another one in
# each virtual machine
events()
{
	tapedump -j "$1" 2>/dev/null | jq -c 'select(.call and .call != "processor") | [.rank, .call,
		.tag, .actual_tag, .bytes, .comm, .flag]' | sort -s -t, -k1,1
}
# sites TRACE RANK: call, line and function
sites() { sed -n 's/^site [0-9]* //p' "$1/rank.$2" | sort; }

gcc -O1 -o plain talk.c -lgpvm3 -lpvm3 || exit 1
cp plain preloaded
tapecc -O1 -Wall -Wextra -Werror -pedantic -o source talk.c -lgpvm3 -lpvm3 \
	2>reports
ok "builds without a warning" test -x source
ok "reports the address that is taken" equal "$(cat reports)" \
	"talk.c:39: pvm_send: used without a call, not traced\
 through its call site"
# what tasks print comes with their tids
run_it() { in_pvm "$@" | sed 's/^\[t[0-9a-f]*\]/[task]/'; }
run_it "$work/plain" >plain.out
run_it taperun "$work/preloaded" >preloaded.out
run_it "$work/source" >source.out
ok "the program runs" holds '^talk.c:76 main 780 40$' plain.out
ok "source: the output is that without Tape" same plain.out source.out
ok "preload: the output is that without Tape" same plain.out preloaded.out
events preloaded.tape >preloaded.events
events source.tape >source.events
ok "all events are there" equal "$(wc -l <source.events)" \
	$((6 + 5 * 40 + 2 + 5 * 40))
ok "they are those of the preload door" same preloaded.events source.events
tapedump --messages source.tape 2>/dev/null >matched
ok "all messages are matched" equal "$(grep -c ^matched matched)" 80
ok "the first task's sites name line and function" equal \
	"$(sites source.tape 0)" "802 78 talk.c main
803 64 talk.c main
804 67 talk.c main
812 66 talk.c main
812 77 talk.c main
847 74 talk.c main
880 43 talk.c ask
925 47 talk.c ask
950 45 talk.c ask
954 46 talk.c ask"
ok "the second task's, a macro's by its definition" equal \
	"$(sites source.tape 1)" "802 34 talk.c slave
803 64 talk.c main
880 19 talk.c answer
905 13 talk.c %
925 31 talk.c slave
950 21 talk.c answer
953 30 talk.c slave"
ok "calls by a pointer, and by a format, are known by their address" equal \
	"$(sed -n 's/^address [0-9]* \([0-9]*\) .*/\1/p' source.tape/rank.0 |
		sort | tr '\n' ' ')" "914 950 "
ok "the other door knows addresses only" equal "$(sites preloaded.tape 0)" ""
ok "no MPI comes with it" sh -c 'ldd source | grep libpvm3 &&
	! ldd source | grep -E "lib(mpi|tape-mpi)"'

# ---- compiled before it is linked; PVM in archives ----
tapecc -c talk.c 2>reports && tapecc -o objects talk.o -lgpvm3 -lpvm3
tapecc -o static talk.o -l:libgpvm3.a -l:libpvm3.a -ltirpc
tapecc -o late -Wl,--as-needed talk.c -lpvm3 -lgpvm3 2>reports
for how in objects static late; do
	run_it "$work/$how" >$how.out
	ok "$how: the output is that without Tape" same plain.out $how.out
	events $how.tape >$how.events
	ok "$how: the events are the same" same source.events $how.events
	ok "$how: the call sites are the same" same \
		<(sites source.tape 0) <(sites $how.tape 0)
done
ok "the archives' program needs no library of PVM" sh -c \
	'ldd static >libraries && ! grep pvm libraries'
mkdir -p none part && ln -s "$(command -v gcc)" none/cc
cp talk.c part/talk.c
echo 'int other(void) { return 0; }' >other.c
for tool in bash readlink mktemp mkdir grep cmp cat rm sed as ld tr tapepp; do
	ln -s "$(command -v $tool)" none/
done
ok "a machine without mpicc has cc" env PATH="$work/none" \
	"$TAPE_BUILD/bin/tapecc" -o parts other.c part/talk.c -lpvm3
run_it "$work/parts" >parts.out
ok "sources of several folders" same plain.out \
	<(sed 's|part/talk|talk|' parts.out)
ok "their sites name the folder" equal \
	"$(sites parts.tape 0 | grep -c ' part/talk.c ')" 10
finish
