#!/bin/bash
# Quantum ESPRESSO: Fortran, with transposes by MPI_Alltoallv and communicators
# split for pools of k-points. Two atoms of hydrogen; the pseudopotential is
# made first.
. "$(dirname "$0")/../e2e/programs.bash"
need pw.x ld1.x

mkdir espresso
(cd espresso && cat >../atom.in <<'END' && ld1.x <../atom.in >../atom.out 2>&1)
&input
 title='H', zed=1.0, rel=0, config='1s1', iswitch=3, dft='PZ'
/
&inputp
 lloc=0, pseudotype=1, file_pseudopw='H.UPF', tm=.true.
/
1
1S 1 0 1.00 0.00 1.10 1.10
END
cat >espresso/h2.in <<'END'
&control
 calculation='scf', prefix='h', outdir='./tmp', pseudo_dir='.'
/
&system
 ibrav=1, celldm(1)=4.0, nat=2, ntyp=1, ecutwfc=20.
 occupations='smearing', degauss=0.02
/
&electrons
 conv_thr=1.d-8
/
ATOMIC_SPECIES
 H 1.008 H.UPF
ATOMIC_POSITIONS alat
 H 0.0 0.0 0.0
 H 0.35 0.0 0.0
K_POINTS automatic
 2 2 2 0 0 0
END
neutral_espresso()
{
	sed -E '/CPU|WALL|secs/d; s/ starts on .*//
		s/This run was terminated on:.*//; s/[0-9.]+ [MG]B//
		s/[0-9]+ MiB available memory.*//'
}
lines=100 program espresso pw.x 5000 run.out -- -nk 2 -in h2.in
converged() { holds 'convergence has been achieved' espresso.traced/run.out; }
ok "espresso: it has converged" converged
finish
