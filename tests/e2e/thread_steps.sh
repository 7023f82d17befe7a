#!/bin/bash
# Threads that are created and joined (thread_steps.c): each step is in the trace
# once, and tico takes the cost of a joined thread out of what follows.
# Truth: the program's own counts; while the first thread waits in a join, all
# alphas are one after the other.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq
export OMPI_MCA_mpi_yield_when_idle=1
mpicc -O1 -g -Wall -Werror -pthread -o thread_steps "$here/thread_steps.c" ||
	{ echo "Bail out! thread_steps.c"; exit 1; }

steps()
{
	tapedump "$1.tape" 2>/dev/null | awk '
		$3 == "pthread" { sub("step=", "", $4); n[$4]++ }
		END { for (i = 1; i < 7; i++) print "step", i, n[i] + 0 }'
}

for how in all join; do
	run $how.plain mpirun -np 1 ./thread_steps $how 1000
	run $how mpirun -np 1 taperun -o $how.tape ./thread_steps $how 1000
	ok "$how: it ends as without Tape" equal "$(cat $how.rc $how.out)" \
		"$(cat $how.plain.rc $how.plain.out)"
	ok "$how: each step is recorded" equal "$(steps $how)" \
		"$(grep ^step $how.out)"
done

run free.plain mpirun -np 1 ./thread_steps free 0
run free mpirun -np 1 taperun -o free.tape ./thread_steps free 0
ok "threads that free the variable with their name: as without Tape" equal \
	"$(cat free.rc free.out free.err)" "$(cat free.plain.rc free.plain.out free.plain.err)"

# Threads that a failed call named, and those that another call created.
named()
{
	tapedump all.tape 2>/dev/null | awk '
		$3 != "pthread" { next }
		{ sub("which=", "", $5); $5 += 0 }
		$4 == "step=2" { created += $5 > 0; failed += $5 == 0 }
		$4 == "step=5" { joined += $5 > 0; failed += $5 == 0 }
		END { print created, joined, failed }'
}
ok "calls that fail name no thread" equal "$(named)" "5 5 2"

# What is taken out is all that tracing cost, but for the last alpha.
taken_out()
{
	tico -j -o join.tico.tape join.tape >tico.json || return
	jq -c '[(.measured_ns - .corrected_ns) / .ranks[0].alpha_ns,
		.measured_ns, .corrected_ns, .ranks[0].alpha_ns]' tico.json
	jq -e '(.measured_ns - .corrected_ns) / .ranks[0].alpha_ns |
		. > 0.9 and . <= 1.001' tico.json >/dev/null
}
ok "a join passes on what the thread cost" taken_out
finish
