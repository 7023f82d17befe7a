#!/bin/bash
# LAMMPS, HPC Challenge and NetPIPE: C++ and C (programs.bash says how they are
# looked at).
# Truth: the programs without Tape; calls counted by a library of its own.
. "$(dirname "$0")/programs.bash"

# ---- LAMMPS: Lennard-Jones melt, C++ ----

mkdir lammps
cat >lammps/in.melt <<'END'
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 4711
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 10 delay 0 check yes
fix 1 all nve
thermo 20
run 200
END
# The times of the parts, and what follows from them. Physics, counts of
# neighbours and the balance of atoms stay.
neutral_lammps()
{
	sed -E 's/(create_atoms CPU =) .*/\1/; s/(Loop time of) [^ ]+/\1/
		s/^Performance: .*/Performance/
		s/^[0-9.]+% CPU use/CPU use/; s/(Total wall time:) .*/\1/
		s/^(Pair|Neigh|Comm|Output|Modify|Other) +\|.*/\1/'
}
program lammps lmp 5000 run.out log.lammps -- -in in.melt

# Two partitions of two ranks that exchange temperatures: communicators split
# off split ones, and a log for each partition.
mkdir temper
cat >temper/in.temper <<'END'
variable t world 1.4 1.5
variable seed world 11 12
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create $t ${seed}
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nvt temp $t $t 0.1
thermo 50
temper 300 50 $t 1 3847 5838
END
neutral_temper() { neutral_lammps; }
lines=4 ranks=4 program temper lmp 5000 log.lammps log.lammps.0 log.lammps.1 -- \
	-partition 2x2 -in in.temper

# What tico says of them is consistent: each message that was sent is one, by
# rendezvous or not; if not, it falls into one case, and the cases 1 to 4 are
# those that had arrived.
plausible()
{
	local sent

	sent=$(tapedump "$1.tape" 2>/dev/null | sed 's/ ;.*//' |
		grep -cE ' MPI_(I?[BSRbsr]?send|Send|Sendrecv[a-z_]*) .*peer=[0-9]')
	awk -v sent="$sent" '
		$1 == "messages" { messages = $2 }
		$1 == "rendezvous" { other = $2 }
		$1 == "had" && $2 == "arrived" { first = $3 }
		$1 == "case" { all += $3; early += $2 <= 4 ? $3 : 0 }
		END {
			print sent, "sent,", messages, "messages,", all,
				"in cases,", early, "in 1 to 4,", first,
				"had arrived,", other, "rendezvous"
			exit !(sent > 1000 && messages + other == sent &&
				all == messages && early == first)
		}' tico.out
}
ok "temper: tico counts each message once" plausible temper

# Atoms and the state by MPI-IO, written and read.
mkdir mpiio
sed -e '/^thermo/i dump 1 all atom/mpiio 20 dump.atoms' \
	-e '/^thermo/i restart 100 state.*.mpiio' \
	lammps/in.melt >mpiio/in.melt
cat >>mpiio/in.melt <<'END'
clear
read_restart state.100.mpiio
fix 1 all nve
thermo 20
run 40
END
neutral_mpiio() { neutral_lammps | sed '/read_restart CPU/d'; }
if lmp -h 2>/dev/null | grep -q atom/mpiio; then
	program mpiio lmp 2000 run.out log.lammps dump.atoms -- -in in.melt
fi

# ---- HPC Challenge: Linpack, transpose, random access, FFT; C ----

mkdir hpcc
"$here/hpccinf" 300 >hpcc/hpccinf.txt
# The verdicts of the tests and the summary at the end: every key, and the
# values of those that are no time and no rate, residuals to the last digit. On
# the transpose's lines the numbers around the verdict are times and rates, and
# its lines of processor time are there only if any was measured. The residual
# of the matrix product differs between untraced runs.
neutral_hpcc()
{
	sed -nE -e 's/^(WALL .*) [0-9.]+ (PASSED|FAILED) .*/\1 \2/p' \
		-e '/^(WALL|CPU) /d; s/^(Scaled residual:).*/\1/' \
		-e '/PASSED|FAILED|errors|alidates|[Rr]esid|skipped/p' \
		-e '/^[A-Za-z_]+=/{
			s/^(.*([Tt]ime|flops|GUPs|GBs|usec|GBytes|Copy|Scale|Add|Triad)=).*/\1/
			p
		}'
}
program hpcc hpcc 100000 hpccoutf.txt --

# ---- NetPIPE: ping-pong of many sizes; C ----

mkdir netpipe
# The rate and the time of each size; sizes and repeats (given by -n) stay. The
# two ranks say their host's name in either order.
neutral_netpipe()
{
	case $1 in
	np.out) awk '{ print $1 }' ;;
	*) sed -E 's/--> .*//; s/ +/ /g' | sort ;;
	esac
}
program netpipe NPopenmpi 2000 run.err np.out -- -u 3000 -n 20
finish
