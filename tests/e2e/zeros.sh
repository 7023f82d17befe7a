#!/bin/bash
# Collectives in which some ranks have no part (zeros.c): who leaves before
# others come did not wait for them. tico moves no event behind them, its bounds
# contain its total, and tapestat finds no waits that the run had no time for.
# Truth: who waits for whom, by MPI's rules.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq python3
export OMPI_MCA_mpi_yield_when_idle=1
build zeros zeros.c

# Nothing contradicts the clock, as measured or as corrected; the total is
# within its bounds.
sound()
{
	equal "$(jq -c '[.clamped, .causality.before.violations,
		.causality.after.violations, .let_go,
		((.certain // .certain_without_contention).total_ns as $t |
		 $t[0] <= .corrected_ns and .corrected_ns <= $t[1])]' "$1")" \
		"[0,0,0,0,true]"
}

ok "it runs" mpirun -np 4 taperun -o zeros.tape ./zeros
ok "tico corrects it" eval 'tico -j -o zeros.tico.tape zeros.tape >tico.json'
ok "the report" sound tico.json
ok "who left early did not wait" \
	python3 "$here/zeros.py" zeros.tape zeros.tico.tape
finish
