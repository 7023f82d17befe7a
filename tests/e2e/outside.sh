#!/bin/bash
# What ranks do between their calls: sleep, input, page faults, output, waiting
# for a processor. Tape's bounds against the kernel's counts of these times.
# Truth: the kernel's counts, read by the program around its own pieces.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq python3
mpicc -O1 -g -w -o outside "$here/outside.c" ||
	{ echo "Bail out! outside.c does not compile"; exit 1; }
. "$here/processors.bash"

# within NAME: the bounds of each rank hold what its program read, but for what
# passed between a call and a reading: 5 ms, and a twentieth
cat >within.py <<'EOF'
import json, sys
told = {r["rank"]: r for r in json.load(open(sys.argv[1]))["outside_mpi"]}
bad = 0
for line in open(sys.argv[2]):
    rank, ns, cpu, waited, faults, written = map(float, line.split())
    r = told[int(rank)]
    slack = 5e3 + ns / 20
    for name, true in (("on_processor_s", cpu),
                       ("waiting_for_processor_s", waited),
                       ("blocked_s", ns - cpu - waited)):
        low, high = (1e6 * x for x in r[name])
        if not low - slack <= true <= high + slack or low > high:
            print(f"rank {rank:.0f} {name}: {true} us is not in {low} to {high}")
            bad = 1
    if r["minor_faults"] < faults or r["blocks_written"] < written:
        print(f"rank {rank:.0f}: fewer faults or blocks than {faults} {written}")
        bad = 1
sys.exit(bad)
EOF
within() { python3 within.py "$1" "$2"; }
# trace NAME RANKS MODE [CPU...]
trace()
{
	local name=$1 ranks=$2

	shift 2
	run $name mpirun -np $ranks $bind taperun -o $name ./outside "$@"
	ok "$name: it runs" equal "$(cat $name.rc $name.err)" 0
	echo "# rank, us, on a processor, waited, faults, written:" \
		"$(sort $name.out | tr '\n' ';')"
	tico -o $name.c.tape $name.tape >$name.tico 2>&1
	for base in $name $name.c; do
		tapestat -j $base.tape >$base.json 2>/dev/null
		tapestat $base.tape >$base.txt 2>/dev/null
		ok "$base: bounds hold what the kernel counted" \
			within $base.json $name.out
	done
}
# Where the last rank was blocked for most of its time that is said, not that it
# computed.
was_blocked()
{
	tail -n +1 $1.out | sort -n | tail -n 1 |
		awk '{ exit !($2 - $3 - $4 > 0.7 * $2) }'
}
for mode in sleep pipe; do
	trace $mode 2 $mode
	if was_blocked $mode; then
		for base in $mode $mode.c; do
			ok "$base: the report says that rank 1 was blocked" \
				holds "^Rank 1 caused .*, outside MPI after MPI_Isend outside.c:[0-9]+, blocked [0-9 to]+% of that time \(I/O or sleep\)$" $base.txt
		done
	else
		skip "$mode: the report" "the machine is busy"
	fi
done
trace pages 2 pages
ok "pages: each page is a fault" [ "$(jq '.outside_mpi[1].minor_faults' \
	pages.json)" -ge 120000 ]
ok "pages: to have them is computing" lacks "blocked" pages.txt
trace write 2 write
trace compute 2 compute
if sort -n compute.out | tail -n 1 | awk '{ exit !($3 > 0.7 * $2) }'; then
	ok "compute: the report says so" \
		lacks "outside MPI after MPI_Isend" compute.txt
fi
# more ranks than processors
trace shared 2 compute $one $one
trace many 6 compute $one ${two:-$one}
at=$(grep -n 'MPI_Allreduce(' "$here/outside.c" | cut -d: -f1)
tapestat -t outside -c -n 0 --phase "MPI_Allreduce outside.c:$at" many.tape \
	>parts.csv 2>/dev/null
ok "many: a table of all ranks" equal "$(grep -c ,rank parts.csv)" 6
ok "many: phases are all of the time outside" python3 - <<'EOF'
import csv
rows = list(csv.DictReader(open("parts.csv")))
ranks, phases = ([r for r in rows if r["part"].startswith(what)]
                 for what in ("rank", "phase"))
def total(rows, column):
    return sum(float(r[column]) for r in rows)
sums = total(ranks, "outside_s"), total(phases, "outside_s")
if len(phases) < 6 or abs(sums[0] - sums[1]) > 1e-6:
    raise SystemExit(f"{len(phases)} phases, {sums}")
# the bounds of all phases hold what those of all ranks do
for name in "ran", "waited", "blocked":
    if (total(phases, name + "_s") > total(ranks, name + "_most_s") + 1e-6 or
            total(phases, name + "_most_s") < total(ranks, name + "_s") - 1e-6):
        raise SystemExit(name)
EOF
ok "many: where most of its time a rank waited, it did not compute" python3 - <<'EOF'
import json, re
waited = {}
for line in open("many.out"):
    rank, ns, cpu, w = map(float, line.split()[:4])
    waited[int(rank)] = w / ns
for line in open("many.txt"):
    m = re.match(r"Rank (\d+) caused .*, (computing|outside)", line)
    # what remains without waiting for a processor may well be computing
    if m and "of the other waiting" not in line and waited[int(m[1])] > 0.7 and m[2] == "computing":
        raise SystemExit(line)
EOF
two_processes()
{
	mpirun -np 2 $bind tapestat -j -t outside sleep.tape 2>/dev/null |
		jq '.outside_mpi, .outside_parts'
}
[ "$MPI" != openmpi ] || ok "two processes find the same" equal \
	"$(two_processes)" "$(tapestat -j -t outside sleep.tape 2>/dev/null |
		jq '.outside_mpi, .outside_parts')"
finish
