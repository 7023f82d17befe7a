#!/bin/bash
# Fortran programs of others, from Debian's packages: MUMPS (Fortran alone),
# ScaLAPACK's LU test (Fortran over the BLACS in C) and Quantum ESPRESSO. What
# they print, times apart, is the same with and without Tape, and the tools take
# their traces.
. "$(dirname "$0")/tap.bash"
need mpirun

# Both runs, each in a copy of the directory NAME. Standard input is NAME/in.
pair()
{
	local name=$1

	shift
	cp -r "$name" "$name.plain" && cp -r "$name" "$name.traced"
	(cd "$name.plain" && mpirun -np 2 "$@" <in >../plain.out 2>../plain.err
		echo $? >../plain.rc)
	(cd "$name.traced" && mpirun -np 2 taperun -o "../$name" "$@" <in \
		>../traced.out 2>../traced.err
		echo $? >../traced.rc)
}

# The same status and text, after the sed script $2; at least $3 lines.
the_same()
{
	equal "$(cat traced.rc)" "$(cat plain.rc)" &&
		same <(sed -E "$2" plain.out) <(sed -E "$2" traced.out) &&
		same plain.err traced.err &&
		same <(ls "$1.plain") <(ls "$1.traced") &&
		[ "$(sed -E "$2" plain.out | wc -l)" -ge "$3" ]
}

tools()
{
	run sba sba -o "$1.sba.tape" "$1.tape"
	run tico tico -o "$1.tico.tape" "$1.sba.tape"
	equal "$(cat {sba,tico}.{rc,err} | paste -sd' ')" "0 0" &&
		holds ' 0 violations before.* 0 after' sba.out &&
		lacks 'unmatched|let go|unknown requests|incomplete' tico.out &&
		equal "$(end_of "$1.tape" 0)$(end_of "$1.tape" 1)" \
			"finalize 0finalize 0"
}

# at_least TRACE CALL N...: on rank 0
at_least()
{
	local trace=$1 n

	shift
	while [ $# -gt 0 ]; do
		n=$(events "$trace" 0 "$1")
		[ "$n" -ge "$2" ] || { echo "only $n $1"; return 1; }
		shift 2
	done
}

mumps=/usr/lib/mumps
if [ -x $mumps/dsimpletest ]; then
	mkdir mumps && cp $mumps/input_simpletest_real mumps/in
	pair mumps $mumps/dsimpletest
	ok "MUMPS: same results" the_same mumps \
		's/^ (Elapsed )?(T|t)ime .*//; s/^ *\.\. Time.*//' 60
	ok "MUMPS: the tools take it" tools mumps
	ok "MUMPS: its calls are there" at_least mumps.tape MPI_Bcast 50 \
		MPI_Reduce 20 MPI_Probe 1 MPI_Iprobe 5 MPI_Pack 5
else
	skip "MUMPS" "mpi $mumps/dsimpletest is not installed"
fi

lu=$(ls -d /usr/lib/*/scalapack/openmpi-tests 2>/dev/null | head -n 1)
if [ -x "$lu/xdlu" ]; then
	mkdir lu && : >lu/in
	# two of the seven sizes, a grid of two processes
	sed -E '5s/^4/2/; 8s/^3/1/; 10s/^3/2/; 12s/^3/1/; 14s/^4/2/' \
		"$lu/LU.dat" >lu/LU.dat
	pair lu "$lu/xdlu"
	ok "ScaLAPACK: same results" the_same lu \
		's/^(WALL .*) [0-9.]+ +[0-9.]+ +[0-9.]+ +(PASSED)/\1 \2/
		s/^(WALL|CPU )(.{40}).*(PASSED)/\1\2 \3/; /^CPU/d' 20
	ok "ScaLAPACK: its tests pass" holds ' 0 tests completed and failed' \
		traced.out
	ok "ScaLAPACK: the tools take it" tools lu
	ok "ScaLAPACK: its calls are there" at_least lu.tape \
		MPI_Type_vector 100 MPI_Allreduce 10 MPI_Type_match_size 10
else
	skip "ScaLAPACK" "mpi xdlu is not installed"
fi

# Two atoms of hydrogen; their pseudopotential is made first.
if command -v pw.x ld1.x >/dev/null; then
	mkdir qe
	cat >atom.in <<'END'
&input
 title='H', zed=1.0, rel=0, config='1s1', iswitch=3, dft='PZ'
/
&inputp
 lloc=0, pseudotype=1, file_pseudopw='qe/H.UPF', tm=.true.
/
1
1S 1 0 1.00 0.00 1.10 1.10
END
	cat >qe/h2.in <<'END'
&control
 calculation='scf', prefix='h', outdir='./tmp', pseudo_dir='.'
/
&system
 ibrav=1, celldm(1)=4.0, nat=2, ntyp=1, ecutwfc=10.
 occupations='smearing', degauss=0.02
/
&electrons
 conv_thr=1.d-6
/
ATOMIC_SPECIES
 H 1.008 H.UPF
ATOMIC_POSITIONS alat
 H 0.0 0.0 0.0
 H 0.35 0.0 0.0
K_POINTS automatic
 2 2 2 0 0 0
END
	: >qe/in
	ld1.x <atom.in >atom.out 2>&1
	pair qe pw.x -in h2.in
	ok "Quantum ESPRESSO: same results" the_same qe \
		's/ starts on .*//; s/This run was terminated on:.*//
		s/[0-9.]+ MB//; /CPU|WALL|secs/d' 150
	ok "Quantum ESPRESSO: it has converged" \
		holds 'convergence has been achieved' traced.out
	ok "Quantum ESPRESSO: the tools take it" tools qe
	ok "Quantum ESPRESSO: its calls are there" at_least qe.tape \
		MPI_Bcast 100 MPI_Allreduce 100 MPI_Alltoallv 5 MPI_Comm_rank 50
else
	skip "Quantum ESPRESSO" "mpi pw.x is not installed"
fi
finish
