#!/bin/bash
# Plug-ins of tapelive: of a run that they watch they say what they say of its
# trace afterwards, of one program and of two, however many processes feed them;
# whatever one does, the analysis, the program and the others go on.
# Truth: none; what the plug-ins say of the trace afterwards.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq
mpicc -O1 -g -o mixed "$here/tapelive.c" ||
	{ echo "Bail out! tapelive.c"; exit 1; }
so() # NAME SOURCE
{
	gcc -O1 -g -shared -fPIC -o $1.so "$2" -I"$TAPE_TOP/plugin"
}
so sums "$here/plugins_sums.c" && so faults "$here/plugins_faults.c" &&
	so late "$TAPE_TOP/examples/plugin/late.c" ||
	{ echo "Bail out! plug-ins"; exit 1; }

# streams NAME SEED STEPS: a program under way
streams()
{
	run "$1" timeout 300 mpirun -np 3 taperun -s stream=node -o "$1" \
		./mixed $3 $2
}

# lines and figures of each plug-in, in no order: two sources of knowledge may
# run at once, and several processes feed
said() { jq -S '[.plugins[] | {file, failed, lines: (.lines | sort_by(.program, .text)), figures: (.figures | sort_by(.program, .name))}]' "$1"; }
same_said() { diff -u <(said "$1") <(said "$2"); }

# ---- one program ----

for workers in 1 3; do
	t=one$workers
	run $t.live timeout 300 tapelive --keep -j --wait 100 --workers $workers \
		--processes $workers --plugin sums.so --plugin late.so:0 \
		$t.tape &
	pid=$!
	streams $t $workers 1500
	wait $pid
	ok "$workers workers: it ends well" equal "$(cat $t.rc $t.live.rc)" $'0\n0'
	run $t.stat tapestat -j --workers $workers --plugin sums.so \
		--plugin late.so:0 $t.tape
	ok "$workers workers: the plug-ins have said what they say afterwards" \
		same_said $t.live.out $t.stat.out
	ok "they have seen something" [ "$(jq '[.plugins[].figures[]] | length' \
		$t.live.out)" -gt 30 ]
	ok "and the rest is as without them" same <(tapelive --keep -j $t.tape |
		jq -S . | without_ideal) \
		<(jq -S 'del(.plugins)' $t.live.out | without_ideal)
done
lacks_wrong() { ! jq -r '.plugins[].figures[].name' "$1" | grep -E 'wrong t|two'; }
ok "and nothing that is wrong" lacks_wrong one3.live.out
for n in 2 4; do
	run more timeout 300 tapelive --keep -j --processes $n \
		--plugin sums.so --plugin late.so:0 one1.tape
	ok "$n processes: what they say is the same" same_said more.out \
		one1.live.out
	ok "$n processes: one number for each place, and ticks in order" \
		lacks_wrong more.out
done
run text tapelive --keep -t calls --plugin late.so:0 one1.tape
ok "in text they come last, as of tapestat" same text.out \
	<(tapestat -t calls --plugin late.so:0 one1.tape)

# ---- two programs, each of them a level ----

run both.live timeout 300 tapelive --keep -j --wait 100 --processes 2 \
	--plugin sums.so a.tape b.tape &
pid=$!
streams a 4 900 &
other=$!
streams b 5 1200
wait $other $pid
ok "two programs: it ends well" equal "$(cat both.live.rc)" 0
ok "two programs: an object for each, and one for what plug-ins say" equal \
	"$(jq -c '[has("events"), .programs]' both.live.out | tr '\n' ' ')" \
	"[true,null] [true,null] [false,2] "
tail -n 1 both.live.out >both.said
for t in a b; do
	run alone tapestat -j --plugin sums.so $t.tape
	ok "two programs: $t is as alone" same \
		<(jq -S --arg t $t.tape '[.plugins[0].figures[] |
			select(.program == $t) | {name, value}] | sort' both.said) \
		<(jq -S '[.plugins[0].figures[] | {name, value}] | sort' alone.out)
done

# ---- while it runs ----

# what a plug-in says of how it goes is shown, and one that crashes is named at
# once, long before the end
cat >goes.c <<'E_C'
#include <tape_plugin.h>
static long n;
static struct tape_board *board;
static void event(struct tape_ks *ks, const struct tape_entry *const *e, void *own)
{
	(void)ks; (void)own;
	tape_ks_status(board, e[0]->level, "%s of \033rank", e[0]->event->call);
}
static int level(struct tape_board *b, const struct tape_level *l)
{
	board = b;
	return !tape_ks_add(b, l->number, 0, event, NULL, "event", NULL);
}
const struct tape_plugin tape_plugin = {TAPE_PLUGIN_VERSION, NULL, level, NULL};
E_C
so goes goes.c
# until somebody says that it is enough
cat >on.c <<'E_C'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	int me, stop = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	while (!stop) {
		stop = !me && !access("enough", F_OK);
		MPI_Bcast(&stop, 1, MPI_INT, 0, MPI_COMM_WORLD);
		usleep(200);
	}
	MPI_Finalize();
	return 0;
}
E_C
mpicc -O1 -g -o on on.c
timeout 200 mpirun -np 2 taperun -s stream=node -o open ./on >on.out 2>on.err &
program=$!
later touch enough
timeout 100 tapelive -i 0.1 --http --no-token --plugin goes.so \
	--plugin faults.so:segv open.tape >open.out 2>open.err &
pid=$!
for _ in $(seq 200); do
	grep -q 'crashed' open.err && grep -q 'live view' open.err && break
	sleep 0.05
done
ok "one that crashes is named while the program runs" holds \
	'^tapelive: plug-in ./faults.so: crashed' open.err
address=$(sed -n 's/^tapelive: live view: \(http[^ ]*\)$/\1/p' open.err)
if [ -n "$address" ] && command -v curl >/dev/null; then
	for _ in $(seq 100); do
		curl -s "${address}snapshots" >snapshot
		grep -q '"status":"MPI_' snapshot && break
		sleep 0.05
	done
	ok "the snapshot has what one says of how it goes" jq -e \
		'.[0].plugins[0].status | test("^MPI_[A-Za-z_]+ of .*rank$")' snapshot
fi
touch enough
wait $pid
rc=$?
wait $program
ok "the program ends as it should" equal "$?$(cat on.out on.err)" 0
ok "the end is that of a failed plug-in" equal $rc 1
ok "the report is there" holds '^plug-in ./faults.so' open.out

# ---- faults ----

# fault NAME SENTENCE [OPTION...]: of faults.so with arguments NAME
fault()
{
	local name=$1 sentence=$2

	shift 2
	run fault timeout 100 tapelive --keep -t names "$@" --plugin faults.so:$name \
		--plugin sums.so one1.tape
	ok "$name: one sentence" equal "$(cat fault.err)" \
		"tapelive: plug-in ./faults.so: $sentence"
	ok "$name: tables and the other one go on" equal "$(cat fault.rc) $(grep -c \
		-e '^  calls MPI_Allreduce: ' -e ' MPI_Allreduce$' \
		-e '^  FAILED: ' fault.out)" "1 3"
}
fault segv "crashed (Segmentation fault)"
fault exit0 "exited before the end"
fault sleep "stopped: no entry consumed for 3 s" --plugin-wait 3
fault segv "crashed (Segmentation fault)" --processes 3
fault sleep "stopped: no entry consumed for 3 s" --plugin-wait 3 \
	--processes 2
fault leak "stopped: uses more than 200 MiB of memory" --plugin-memory 200
fault open-segv "crashed (Segmentation fault)"
fault over-segv "crashed (Segmentation fault)"
run bad tapelive --keep -t names --plugin nowhere.so --plugin sums.so one1.tape
ok "one that does not load is named" holds \
	'^tapelive: plug-in ./nowhere.so: cannot be loaded' bad.err
ok "and the other one goes on" holds '^  calls MPI_Allreduce: ' bad.out
run csv tapelive --keep -c -t names --plugin sums.so one1.tape
ok "-c prints one table" equal "$(cat csv.rc) $(wc -l <csv.err)" "2 1"
run workers tapelive --workers x --plugin sums.so one1.tape
ok "--workers x" equal "$(cat workers.rc) $(wc -l <workers.err)" "2 1"
finish
