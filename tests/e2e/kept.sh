#!/bin/bash
# What calls leave alone (kept.c): errno, the cancel state; and a child
# that was forked in the middle of a definition goes on.
# Truth: the program without Tape.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
mpicc -O1 -g -w -pthread -I"$TAPE_TOP/runtime" -o kept "$here/kept.c" ||
	{ echo "Bail out! kept.c does not compile"; exit 1; }

# both NAME SETTINGS MODE [N]
both()
{
	local name=$1 settings=$2

	shift 2
	run "$name.plain" timeout 100 mpirun -np 1 ./kept "$@"
	run "$name" timeout 100 mpirun -np 1 taperun $settings \
		-o "$name.tape" ./kept "$@"
}
# prints NAME TEXT: without Tape and with it
prints()
{
	equal "$(cat "$1.plain.rc" "$1.plain.out")" "0
$2" && equal "$(cat "$1.rc" "$1.out")" "0
$2"
}
stopped() { equal "$(end_of "$1.tape" 0 | cut -d" " -f1)" "$2"; }

both cancel "" cancel
ok "calls that define: the cancel state is as it was" \
	prints cancel "disabled: 1
enabled: 1"
both errno "-s window=1" errno 400000
moved() { [ "$(stat -c %s errno.tape/flow.0.0)" -gt $((1 << 20)) ]; }
ok "a window after the other: errno is as it was" \
	prints errno "changed 0 times"
ok "a window after the other: there were several" moved
both most "-s window=1 -s max_size=1" errno 400000
ok "max_size is reached: errno is as it was" prints most "changed 0 times"
ok "max_size is reached: it was" stopped most limit
both limit "-s window=1" limit 400000
ok "the disk is full: errno is as it was" prints limit "changed 0 times"
ok "the disk is full: it was" stopped limit full
both thread "" thread
ok "a thread without a file: errno is as it was" \
	prints thread "changed 0 times"
ok "a thread without a file: it has none" \
	[ -s thread.tape/flow.0.0 -a ! -s thread.tape/flow.0.1 ]
both fork "" fork 200
ok "children forked while another thread defines: they go on" \
	prints fork "children 200"
both freed "" freed
ok "a persistent request is freed, its handle used again" \
	prints freed "again: 1"
ok "nobody knows who has it then" equal "$(tapedump freed.tape 2>/dev/null |
	grep MPI_Wait | grep -oE '(done|received)=[0-9:]*')" "done=0"
finish
