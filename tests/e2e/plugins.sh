#!/bin/bash
# Plug-ins on real traces: what they add up is what tapestat says, at one or
# two programs; whatever one does, the analysis and the others go on.
# Truth: none; tapestat, which sums.sh compares with a truth.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq python3

cat >prog.c <<'END_C'
#include <mpi.h>
#include <tape.h>

int main(int argc, char **argv)
{
	int rank, size, done, in, out, sum;
	MPI_Request r[2];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 50; i++) {
		tape_enter("step");
		out = rank * i;
		MPI_Irecv(&in, 1, MPI_INT, (rank + 1) % size, 7,
			  MPI_COMM_WORLD, &r[0]);
		MPI_Isend(&out, 1, MPI_INT, (rank + size - 1) % size, 7,
			  MPI_COMM_WORLD, &r[1]);
		tape_enter("wait");
		for (done = 0; !done;)
			MPI_Test(&r[0], &done, MPI_STATUS_IGNORE);
		MPI_Wait(&r[1], MPI_STATUS_IGNORE);
		tape_leave();
		MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		tape_leave();
		if (rank)
			MPI_Recv(&in, 1, MPI_INT, rank - 1, 8, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		if (rank < size - 1)
			MPI_Send(&in, 1, MPI_INT, rank + 1, 8, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
END_C
build_here() { mpicc -O1 -g -w -I"$TAPE_TOP/runtime" -o prog prog.c \
	-L"$TAPE_BUILD/lib" -Wl,-rpath,"$TAPE_BUILD/lib" "-l$tracer"; }
build_here || { echo "Bail out! prog.c"; exit 1; }
ok "a run" mpirun -np 3 taperun -o app ./prog
ok "another one" mpirun -np 2 taperun -o other ./prog

# plug-ins are compiled as their users do
so() # NAME SOURCE
{
	gcc -O1 -g -Wall -Wextra -Werror -shared -fPIC -o $1.so "$2" -I"$TAPE_TOP/plugin"
}
ok "plug-ins compile" so sums "$here/plugins_sums.c"
ok "also one with faults" so faults "$here/plugins_faults.c"
ok "examples: C" gcc -O1 -g -Wall -Werror -shared -fPIC -o late.so \
	"$TAPE_TOP/examples/plugin/late.c" -I"$TAPE_TOP/plugin"
ok "its length is at most 60 lines" test "$(wc -l <"$TAPE_TOP/examples/plugin/late.c")" -le 60
if command -v g++ >/dev/null; then
	ok "examples: C++" g++ -O1 -g -Wall -Wextra -Werror -shared -fPIC \
		-o traffic.so "$TAPE_TOP/examples/plugin/traffic.cpp" -I"$TAPE_TOP/plugin"
fi

# ---- the same sums ----

cat >compare.py <<'END_PY'
# What tapestat -j says of a trace, and what the plug-in says of a program in it.
import json, sys
d = json.load(open(sys.argv[1]))
said = json.load(open(sys.argv[2]))
figures = {f["name"]: f["value"] for f in said["plugins"][int(sys.argv[3])]["figures"]
           if f["program"] == sys.argv[4]}
def ns(s): return round(s * 1e9)
want = {}
def add(name, value): want[name] = want.get(name, 0) + value
for r in d["names"]:
    add("calls " + r["call"], r["calls"])
    add("ns " + r["call"], ns(r["total_s"]))
    add("bytes " + r["call"], r["bytes"])
for r in d["messages"]:
    add("messages %d %d" % (r["from"], r["to"]), r["messages"])
    add("message bytes %d %d" % (r["from"], r["to"]), r["bytes"])
for r in d["waits"]:
    key = "%s %d %d %s" % (r["kind"], r["rank"], r["for_rank"], r["call_site"])
    if r["times"]:
        add("wait " + key, ns(r["waiting_s"]))
        add("waits " + key, r["times"])
for r in d["collectives"]:
    add("rounds " + r["call"], r["times"])
    add("round ns " + r["call"], ns(r["total_s"]))
for r in d["regions"]:
    add("entries " + r["region"], r["entries"] if "entries" in r else r["calls"])
    add("region " + r["region"], ns(r["total_s"]))
add("events", d["events"])
inside = {k: v for k, v in figures.items() if k.startswith("inside ")}
wrong = 0
for k in sorted(set(want) | set(figures)):
    if k in inside or k == "phases": continue
    if abs(want.get(k, 0) - figures.get(k, 0)) > (0 if not k.startswith("round ns") else 1):
        print(k, "tapestat", want.get(k), "plug-in", figures.get(k)); wrong += 1
if not inside or figures.get("phases", 0) <= 0: print("no region or phase"); wrong += 1
print(len(want), "sums")
sys.exit(wrong != 0 or len(want) < 30)
END_PY
for t in app other; do
	tapestat -j $t.tape >$t.json 2>/dev/null
done
for workers in 1 4; do
	run with tapestat -j --workers $workers --plugin late.so --plugin sums.so app.tape
	ok "workers: $workers: calls, messages, waits, collectives, regions are tapestat's" \
		python3 compare.py app.json with.out 1 app.tape
	ok "and tapestat says the same" equal \
		"$(jq -S 'del(.plugins)' with.out)" "$(jq -S . app.json)"
	run two tapestat -d -j --workers $workers --plugin sums.so app.tape other.tape
	for t in app other; do
		ok "two levels: $t" python3 compare.py $t.json two.out 0 $t.tape
	done
done
run text tapestat --plugin late.so:0 app.tape
ok "the example's lines, in text" holds '^  [0-9.]+ s: MPI_[A-Za-z]+ prog.c:[0-9]+ for MPI_' text.out
# each line is rounded to a microsecond
ok "late senders by pair add up" equal "$(jq -r '[.waits[] | select(.kind == "late sender") |
	.waiting_s] | add' app.json | awk 'NR == FNR { want = $1; next }
	/^  [0-9.]+ s: MPI_/ { s += $1; n++ }
	END { d = s - want; print (n > 0 && d * d <= (n * 5e-7 + 1e-9) ^ 2) }' - text.out)" 1
ok "a plug-in does not change the exit status" equal "$(cat text.rc)" 0
if [ -e traffic.so ]; then
	run traffic tapestat -j --workers 2 --plugin traffic.so:0.001 app.tape
	ok "the chain of knowledge sources has all messages" equal \
		"$(jq '.plugins[0].figures[] | select(.name == "messages").value' traffic.out)" \
		"$(jq '[.messages[].messages] | add' app.json)"
fi

# ---- faults ----

# fault NAME SENTENCE [OPTION...]: of faults.so with arguments NAME; late.so goes on
fault()
{
	local name=$1 sentence=$2

	shift 2
	run fault timeout 100 tapestat -t names "$@" --plugin faults.so:$name \
		--plugin sums.so app.tape
	ok "$name: one sentence" equal "$(grep -v 'no lines\? for' fault.err)" \
		"tapestat: plug-in ./faults.so: $sentence"
	ok "$name: the exit status tells" equal "$(cat fault.rc)" 1
	ok "$name: tables and the other one go on" equal "$(grep -c -e '^  calls MPI_Test: ' \
		-e ' MPI_Test$' -e '^  FAILED: ' fault.out)" 3
}
fault segv "crashed (Segmentation fault)"
fault null "crashed (Segmentation fault)"
fault abort "crashed (Aborted)"
fault exit3 "exited with status 3"
fault exit0 "exited before the end"
fault fail 'no luck today\x0a\x1b[1m'
fault loop "stopped: no entry consumed for 3 s" --plugin-wait 3
fault sleep "stopped: no entry consumed for 3 s" --plugin-wait 3 --workers 3
fault circle "stopped: no entry consumed for 3 s" --plugin-wait 3
fault leak "stopped: uses more than 200 MiB of memory" --plugin-memory 200
fault flood "stopped: uses more than 200 MiB of memory" --plugin-memory 200
fault open-segv "crashed (Segmentation fault)"
fault open-loop "stopped: no entry consumed for 3 s" --plugin-wait 3
fault level-abort "crashed (Aborted)"
fault level-sleep "stopped: no entry consumed for 3 s" --plugin-wait 3
fault over-segv "crashed (Segmentation fault)"
fault over-loop "stopped: no entry consumed for 3 s" --plugin-wait 3
fault refuse "its function open failed"
for call in add type say figure status; do
	name=tape_ks_$call
	fault wrong-$call "$name: there is no level 99: level 0 is common, and there is level 1"
done
fault wrong-common "tape_ks_add: what happens in a program is not on level 0, which is common, but on the program's level"
fault wrong-submit "tape_ks_submit: 1 is no type of the plug-in's own"

# a busy machine may take long for what is said
run many tapestat -t names --plugin-wait 100 --plugin faults.so:chatter app.tape
ok "much is said: the rest is counted" holds 'more lines were left out' many.out
ok "and nothing of it can be harmful" lacks $'\033' many.out
ok "which is no failure" equal "$(cat many.rc)" 0
run print tapestat -j --plugin faults.so:print app.tape
ok "standard output stays JSON" jq -e '.plugins[0].lines[0].text == "over"' print.out
ok "what is printed goes to standard error" holds '^this goes to standard error$' print.err
run forge tapestat -j --plugin faults.so:forge app.tape
ok "who forges its report says that only" jq -e '.plugins[0] | .lines[0].text == "forged" and
	(.figures | length) == 1 and .figures[0].value == null' forge.out
run close timeout 100 tapestat -j --plugin faults.so:close app.tape
ok "one without its pipe has said nothing" jq -e '.plugins[0] | .failed and .lines == []' close.out
export PLUGIN_CRASHES_AT_ONCE=1
fault any "crashed (Aborted)"
unset PLUGIN_CRASHES_AT_ONCE

# ---- bad files ----

echo "int x;" >none.c; gcc -shared -fPIC -o none.so none.c
cat >old.c <<'END_C'
#include <tape_plugin.h>
const struct tape_plugin tape_plugin = {TAPE_PLUGIN_VERSION + 1};
END_C
gcc -shared -fPIC -o old.so old.c -I"$TAPE_TOP/plugin"
echo "void f(void); void g(void) { f(); }" >lacks.c; gcc -shared -fPIC -o lacks.so lacks.c
run bad tapestat -t names --plugin nowhere.so --plugin none.so --plugin old.so:x \
	--plugin prog.c --plugin lacks.so --plugin late.so app.tape
ok "six plug-ins, five of them bad: each is named" equal "$(grep -c '^tapestat: plug-in' bad.err)" 5
for what in 'nowhere.so: cannot be loaded: .*No such file' 'none.so: is no plug-in' \
	'old.so: was built for version 2 of the interface, this is version 1' \
	'prog.c: cannot be loaded: .*invalid ELF header' 'lacks.so: cannot be loaded: .*undefined symbol: f'; do
	ok "${what%%:*}" holds "^tapestat: plug-in ./$what" bad.err
done
ok "the good one goes on" holds '^  [0-9.]+ s: MPI_' bad.out

for args in "-c -t calls --plugin late.so" "--workers 0 --plugin late.so" "--workers 999" \
	"--workers x" "--plugin-wait x"; do
	run usage tapestat $args app.tape
	ok "$args: one sentence and 2" equal "$(cat usage.rc) $(wc -l <usage.err)" "2 1"
done
run alone "$TAPE_BUILD/libexec/tape-plugin"
ok "the process by itself says what it is" equal "$(cat alone.rc) $(wc -l <alone.err)" "2 1"

# ---- memory ----

if command -v valgrind >/dev/null; then
	run memory valgrind -q --trace-children=yes --leak-check=full --errors-for-leak-kinds=definite \
		--error-exitcode=9 tapestat -t names --workers 2 --plugin late.so --plugin sums.so app.tape
	ok "valgrind finds nothing, in tapestat and in plug-ins" \
		equal "$(grep -c '^==' memory.err) $(cat memory.rc)" "0 0"
fi
finish
