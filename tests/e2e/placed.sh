#!/bin/bash
# tapeplace: what it predicts to gain, against what the program itself gains when
# it is simulated in the new order; known best orders; what is found with the
# same input; and what real mpirun and mpiexec make of its files.
# Truth: the program simulated in the new order; best orders that are known.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
if [ ! -x "$TAPE_BUILD/bin/tapeplace" ]; then
	skip "placement" "scotch libscotch-dev is not installed"
	finish
fi

# ---- a machine of four levels, simulated ----

# simulated NAME HOSTFILE PROGRAM-ARGUMENT...: its trace is NAME.tape
simulated()
{
	local name=$1 hosts=$2

	shift 2
	taperun --simulate -np 64 --platform tree.xml --hostfile "$hosts" \
		--bursts none -o "$name" ./placed.sim "$@" >"$name.run" 2>&1 ||
		{ cat "$name.run"; false; }
}

# took NAME HOSTFILE: ns of the simulated run itself, by its own trace
took() { tapesim -j --platform tree.xml --hostfile "$2" "$1.tape" | jq .measured_ns; }

# near A B: within 5%
near() { awk -v a="$1" -v b="$2" 'BEGIN { print a, b; exit !(a > 0 && b > 0 && a < b * 1.05 && b < a * 1.05) }'; }

# bytes NAME WHEN: over each level, the farthest first, in units of what is
# between two neighbours of a halo
bytes() { jq -c "[.levels[].$2.bytes / $3]" "$1.json"; }

# advice NAME PROGRAM BYTES STEPS SEED: a run in the given order, advice, a run in
# the new one
advice()
{
	local name=$1

	shift
	simulated "$name" in.order "$@" &&
		tapeplace -j -l tree.levels -p tree.xml --format hosts \
			-o "$name.hosts" "$name.tape" >"$name.json" &&
		simulated "$name.new" "$name.hosts" "$@"
}

# gains NAME: the gain as predicted, of the time before
gains()
{
	local before after

	before=$(took "$1" in.order) after=$(took "$1.new" "$1.hosts")
	echo "# $1: simulated $before -> $after ns, predicted $(jq -c \
		'[.predicted_before_ns, .predicted_after_ns]' "$1.json")"
	near "$(jq '.predicted_before_ns - .predicted_after_ns' "$1.json")" \
		$((before - after)) &&
		near "$(jq .predicted_after_ns "$1.json")" "$after"
}

if command -v smpirun >/dev/null && [ -x "$TAPE_BUILD/libexec/tape-replay" ]; then
	tapecc --simulate -O1 -o placed.sim "$here/placed.c" || exit 1
	python3 "$here/placed.py" tree 2,2,4,4 400,800,1000,1000 2,1,1,1
	sed -n 's/^\(h[0-9]*\) .*/\1/p' tree.levels >in.order
	for seed in 1 2; do
		ok "halo, seed $seed: advice" advice "halo$seed" halo 100000 5 $seed
		ok "halo, seed $seed: the gain within 5%" gains "halo$seed"
		# blocks: 8 edges between halves of 8 x 4, 8 between those of
		# 4 x 4, 32 between 2 x 2 and 64 within, both ways, 5 steps
		ok "and halves, quarters, blocks are found" equal \
			"$(bytes "halo$seed" after 1000000)" "[8,8,32,64]"
		ok "transposition, seed $seed: advice" advice "trans$seed" \
			transpose 20000 5 $seed
		ok "transposition, seed $seed: the gain within 5%" gains "trans$seed"
	done
	ok "transposition, in order: advice" advice trans0 transpose 20000 5 0
	ok "where rows are together already, nothing is moved" equal \
		"$(jq -c '[.moved, .predicted_before_ns == .predicted_after_ns]' \
		trans0.json)" "[0,true]"
	ok "from any order the same bytes between switches of the top" equal \
		"$(bytes trans1 after 1 | cut -d, -f1)" \
		"$(bytes trans0 before 1 | cut -d, -f1)"
	tapeplace -l tree.levels -p tree.xml halo1.tape >halo1.text
	ok "the answer is the first line" eval 'head -n 1 halo1.text | grep -qE \
		"^Better rank order: bytes between switches \(Switch3\) .* MB -> 8.00 MB; predicted run .* ms -> .* ms \(.*% shorter\)\.$"'
	tapeplace -j -l tree.levels -p tree.xml --format hosts -o again halo1.tape >again.json
	ok "the same input has the same result" eval \
		'cmp again halo1.hosts && cmp again.json halo1.json'
	ok "-k: each level ten times: blocks, too" equal "$(tapeplace -j -k 10 \
		-l tree.levels halo2.tape | jq -c \
		'[.levels[].after.bytes / 1000000]')" "[8,8,32,64]"
	# the other machine has two ranks a host, and half as many of these
	python3 "$here/placed.py" other 4,8 400,1000 2,1
	tapeplace -j -l other.levels --slots 2 -p other.xml --format hosts -o other.hosts \
		halo1.tape >other.json
	ok "another machine: 64 ranks on 32 hosts, 2 on each" eval \
		'[ "$(sort other.hosts | uniq -c | grep -c " 2 h")" = 32 ]'
	ok "predicted there in both orders" eval \
		'jq -e ".predicted_after_ns < .predicted_before_ns" other.json'
	run few tapeplace -l other.levels --slots 1 halo1.tape
	ok "too few slots: a sentence" holds \
		'^tapeplace: other.levels: 64 ranks are more than the 32 slots' few.err
	run elsewhere tapeplace -p other.xml -l tree.levels halo1.tape
	ok "hosts that the platform has not: a sentence" eval \
		'[ "$(wc -l <elsewhere.err)" = 1 ] && holds "not a host of this platform" elsewhere.err'
	mkdir tmp
	TMPDIR=$work/tmp tapeplace -l tree.levels -p tree.xml halo1.tape >tmp.out
	ok "nothing is left in TMPDIR" eval '[ -z "$(ls tmp)" ]'
	cp -r halo1.tape torn.tape
	flow=$(echo torn.tape/flow.3.*)
	truncate -s $(($(stat -c %s "$flow") * 2 / 3)) "$flow"
	run torn tapeplace -l tree.levels torn.tape
	ok "a damaged flow: a sentence, as of tapesim" eval \
		'[ "$(cat torn.rc)" = 1 ] && [ "$(wc -l <torn.err)" = 1 ] &&
		holds "^tapeplace: torn.tape/flow.3" torn.err'
else
	skip "on a simulated machine" "smpi smpirun is not installed"
fi

# ---- real hosts ----

# Two of two cores each: ranks 0 and 2, and 1 and 3, send each other much.
cat >where <<'X'
#!/bin/bash
echo "rank ${OMPI_COMM_WORLD_RANK:-$PMI_RANK}=$(hostname) slot=$(sed -n \
	's/Cpus_allowed_list:\t//p' /proc/self/status)"
X
chmod +x where
hosts=$TAPE_TOP/tests/rigs/hosts.sh
"$hosts" 0 0 -- true 2>reason
if [ $? -eq 77 ]; then
	skip "real hosts" "root: $(cat reason)"
	finish
fi
cat >pairs.c <<'X'
#include <mpi.h>
int main(int argc, char **argv)
{
	static char data[100000];
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < 10; i++)
		MPI_Sendrecv_replace(data, sizeof data, MPI_CHAR, rank ^ 2, 0,
				     rank ^ 2, 0, MPI_COMM_WORLD,
				     MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
X
mpicc -o pairs pairs.c || exit 1
net="--mca plm_rsh_agent \$HOSTS_RSH --mca btl tcp,self
	--mca btl_tcp_if_include 10.87.0.0/24
	--mca oob_tcp_if_include 10.87.0.0/24 --mca mpi_yield_when_idle 1"
net=$(tr '\n' ' ' <<<"$net")
# on NAME MPIRUN-ARGUMENT...
on() { local name=$1; shift; run "$name" "$hosts" 0 0 -- sh -c "mpirun -np 4 $net $*"; }

# bound to cores where there are two, else each rank has the host
bind=core slot='slot=[01]' each=4
[ "$(nproc)" -ge 2 ] || bind=none slot='slot=.*' each=2
on first -H host1:2,host2:2 --map-by slot --bind-to $bind \
	"$TAPE_BUILD/bin/taperun -o $work/pairs $work/pairs"
ok "a run on two hosts" equal "$(cat first.rc)" 0
run advice tapeplace -o ranks pairs.tape
ok "advice" holds '^Better rank order: bytes between hosts 4.00 MB -> 0 bytes' \
	advice.out
ok "a slot for each rank" eval '[ "$(cut -d= -f2- ranks | sort -u | wc -l)" -ge $each ] &&
	[ "$(grep -cE "^rank [0-3]=host[12] $slot$" ranks)" = 4 ]'
on again -rf ranks ./where
if [ $bind = core ]; then
	ok "mpirun -rf: each rank is where the file says" same <(sort ranks) \
		<(sort again.out)
else
	ok "mpirun -rf: each rank is on that host" same \
		<(sort ranks | cut -d' ' -f1,2) \
		<(sort again.out | cut -d' ' -f1,2)
fi
on second -rf ranks "$TAPE_BUILD/bin/taperun -o $work/moved $work/pairs"
ok "traced there: its positions are those" same <(sed 's/ slot.*//' ranks) \
	<(for r in 0 1 2 3; do sed -n "s/^host /rank $r=/p" "moved.tape/rank.$r"; done)
run good tapeplace moved.tape
ok "and then the order is good as it is" holds '^Keep the current rank order' \
	good.out
tapeplace --format hosts -o list pairs.tape >list.out
on listed --map-by seq -hostfile list ./where
ok "mpirun --map-by seq: a host a line" same \
	<(sed 's/ slot.*//' ranks) <(sort listed.out | sed 's/ slot.*//')
if command -v mpirun.mpich >/dev/null; then
	run mpich "$hosts" 0 0 -- sh -c "$(command -v mpirun.mpich) -localhost 10.87.0.254 \
		-launcher rsh -launcher-exec \$HOSTS_RSH -f list -np 4 ./where"
	ok "MPICH's mpiexec -f: the same" same <(sed 's/ slot.*//' ranks) \
		<(sort mpich.out | sed 's/ slot.*//')
else
	skip "MPICH's mpiexec" "mpich is not installed"
fi
finish
