#!/bin/bash
# Memory of tools that keep something of every event does not grow with the
# trace.
# Truth: the kernel's figure of peak memory.
. "$(dirname "$0")/tap.bash"
need python3 otf2-print
made=$TAPE_BUILD/bench/made
if [ ! -x "$made" ]; then
	skip "memory" "mpi bench/made was not built"
	finish
fi
if grep -q __asan_init "$TAPE_BUILD/bin/tapestat"; then
	skip "memory" "the sanitizer's memory has no bound"
	finish
fi

# within MIB COMMAND...: what it had resident at most, files that it mapped
# with it
within()
{
	python3 - "$@" <<'PY'
import os, resource, subprocess, sys
rc = subprocess.call(sys.argv[2:])
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print("%.0f MiB of %s" % (most, sys.argv[1]), file=sys.stderr)
sys.exit(rc or most > int(sys.argv[1]))
PY
}

"$made" halo 3 4000000 long.tape
"$made" halo 3 300000 short.tape
# 48 MiB of what the ranks did are in memory, more in a file
within 110 tapestat -a long.tape >whole.txt 2>whole.err
ok "tapestat: what flows did is some 170 MiB" test $? -eq 0
ok "tapereport: the same, which it reads twice" \
	within 330 tapereport -o long.html long.tape
ok "t2otf2: events are 170 MiB" within 40 t2otf2 -o long.otf2 long.tape
t2otf2 -o short.otf2 short.tape
ok "what is written early is all there" equal \
	"$(otf2-print short.otf2/traces.otf2 | grep -c '^LEAVE ')" \
	"$(tapedump -c short.tape | awk -F, '$5 ~ /^MPI_/ { n++ }
		END { print n }')"

# A disk that is full, as files must not grow: the file has 120 MB then
in_a_full_disk() { (trap '' XFSZ; ulimit -f 120000; "$@"); }
ok "a full disk: the rest is told" \
	eval 'in_a_full_disk tapestat -a long.tape >full.txt 2>full.err'
ok "in a line: what is not" equal "$(wc -l <full.err) $(grep -c \
	'cannot write .*: no causes of waiting and no critical path$' \
	full.err)" "1 1"
# a table, up to the empty line behind it, by its first words
table() { awk -v name="$1" 'index($0, name) == 1 { on = 1 }
	on && !NF && n++ { exit } on' "$2"; }
table "Waiting, by" whole.txt >whole.waits
table "Waiting, by" full.txt >full.waits
ok "waits are the same" same whole.waits full.waits
ok "and there are some" holds MPI_Waitall full.waits
ok "the whole one has causes and a path" equal \
	"$(grep -cE '^(Causes of|Critical path:)' whole.txt)" 2
ok "no causes, no path" lacks '^(Causes of|Critical path:)' full.txt
finish
