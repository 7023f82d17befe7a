#!/bin/bash
# bench/segments: on a made-up trace whose truth is known its arithmetic gives
# that truth, and on a real run each cell has its row.
# Truth: a trace whose truth is known.
. "$(dirname "$0")/tap.bash"
need mpirun python3
export PYTHONPATH=$TAPE_TOP/bench PYTHONDONTWRITEBYTECODE=1

# Four cells of twenty pairs. Of an event's cost tico knows 30 ns, between 15 and
# 60; it truly is 30, 50 and 90. In the last rank 1 waits for five messages; what
# rank 0 spends before the last one's start, 4 x 200 + 50, delays the segment.
python3 - <<'PYTHON'
import random
rng = random.Random(7)
head = """meta
	tape-trace 1
	ranks 2
	base global
	domain 0 global host
	clock 0 0 0 1 0 0
	eager shm 4096
"""
rank = """rank %d
	tape-rank 1
	rank %d
	host host
	pid 1%d
	domain 0
	alpha reading 4 0
	alpha local 20 10 15 60
	alpha send 50 150 200 200
	site 1 106 10 a.c main
	site 2 120 11 a.c main
	site 3 124 12 a.c main
	site 4 200 13 a.c main
	comm 1 1 2 %d MPI_COMM_WORLD
	region 1 segment%%20local:chain:8
	region 2 segment%%20local:chain:16
	region 3 segment%%20local:chain:32
	region 4 segment%%20pipeline:chain:8
"""
truth = {1: 30 * 10, 2: 50 * 10, 3: 90 * 10, 4: 4 * 200 + 50}
flows, times, t = ([], []), ([], []), 10000
for cell, cost in truth.items():
    for rank_ in 0, 1:
        name = rank.split(f"region {cell} segment%%20")[1].split()[0]
        times[rank_].append(f"cell {cell} {name} 10 {5 if cell == 4 else 10}")
for cell, cost in truth.items():
    for pair in range(20):
        for me in 0, 1:
            out = flows[me]
            out.append(f"\t{t} +100 MPI_Barrier @4 comm=1")
            out.append(f"\t{t + 200} +0 enter region={cell} alpha=0:40")
            if cell < 4:
                out += [f"\t{t + 1000 * i} +5 MPI_Type_size @1"
                        for i in range(1, 11)]
            elif me == 0:
                out += [f"\t{t + 1000 * i} +100 MPI_Send @2 peer=1 tag=7 "
                        "bytes=8 comm=1" for i in range(1, 6)]
            else:
                out += [f"\t{t + 1000 * i - 500} +800 MPI_Recv @3 peer=0 tag=7 "
                        "comm=1 actual_peer=0 actual_tag=7 bytes=8 arrived=0 "
                        "probe=0" for i in range(1, 6)]
            # rank 1's last receive is what the pipeline ends with
            end = t + (11000 if cell < 4 else 5200 + 100 * me)
            out.append(f"\t{end} +0 leave region={cell}")
            noise = rng.choice([0, 0, 0, 1]) * rng.randrange(5000)
            start = 50000 + t
            bare = end - t - 200 - cost
            for kind, extra in enumerate((0, cost)):
                times[me].append(f"{cell} {pair} {kind} {start} "
                                 f"{start + bare + extra + noise}")
        t += 20000
with open("run.txt", "w") as f:
    f.write(head)
    for me in 0, 1:
        f.write(rank % (me, me, me, me))
    for me in 0, 1:
        f.write(f"flow {me} 0\n" + "\n".join(flows[me]) +
                "\n\tend finalize 0\n")
        with open(f"times.{me}", "w") as g:
            g.write("\n".join(times[me]) + "\n")
PYTHON
ok "the made-up trace is one" tapedump --assemble -o run.tape run.txt
ok "it is corrected" tico -o corrected.tape run.tape
for t in run corrected; do "$TAPE_BUILD/bench/borders" $t.tape >$t.borders; done
cat >judge.py <<'PYTHON'
import paired
times = [paired.read_times(f"times.{rank}") for rank in (0, 1)]
borders = [paired.read_borders(open(f"{t}.borders").read())
           for t in ("run", "corrected")]
for number in 1, 2, 3, 4:
    c = paired.Cell(number, times, *borders)
    cost, removed = c.intervals(paired.generator(1))
    print("%s cost %.0f (%.0f to %.0f) taken %.0f removed %.0f "
          "(%.0f to %.0f) %s" % (c.name, c.cost(), *cost, c.taken(),
                                 c.removed(), *removed,
                                 "holds" if c.holds() else "does not hold"))
c = paired.Cell(1, times, *borders)
print("width", 130 <= c.more <= 175, 270 <= c.less <= 340)
PYTHON
python3 judge.py >judged 2>&1
cat >truth <<'TEXT'
local:chain:8 cost 300 (300 to 300) taken 300 removed 100 (100 to 100) holds
local:chain:16 cost 500 (500 to 500) taken 300 removed 60 (60 to 60) holds
local:chain:32 cost 900 (900 to 900) taken 300 removed 33 (33 to 33) does not hold
pipeline:chain:8 cost 850 (850 to 850) taken 850 removed 100 (100 to 100) holds
width True True
TEXT
ok "costs, shares and certificates are the true ones" same truth judged

# of real runs no duration
small() { # OUTPUT OPTION...
	local out=$1

	shift
	"$TAPE_TOP/bench/segments" "$@" -n 5 -t 20 -k chain -d 8,64 --csv \
		"$TAPE_BUILD" >"$out"
}
rows() { awk -v n="$1" 'NR > 1 { r++ } END { exit r != n }' "$2"; }
ok "a table of marks and a pipeline" small traced -e mark,pipeline+
ok "a row for each cell" rows 4 traced
ok "its header names the columns" holds '^event,kernel,steps,pairs,' traced
ok "a table of what is switched off" small off -w off -e mark
ok "a row for each of its cells" rows 2 off
finish
