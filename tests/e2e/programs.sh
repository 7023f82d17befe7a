#!/bin/bash
# Programs of others, from Debian's packages: what they print and how they end
# is the same with and without Tape, and the tools take their traces without a
# warning. What a program measures of itself differs from run to run, traced or
# not; "neutral" says for each program which of its figures these are.
. "$(dirname "$0")/tap.bash"
need mpirun

# Both runs, each in a directory of its own, NAME.plain and NAME.traced.
pair()
{
	local name=$1

	shift
	cp -r "$name" "$name.plain" && cp -r "$name" "$name.traced"
	cd "$name.plain" && run run mpirun -np 2 "$@"
	cd "../$name.traced" && run run mpirun -np 2 taperun -o "../$name" "$@"
	cd ..
}

# the_same NAME FILE...: status, the list of files, and what they hold once
# neutral_NAME FILE has taken the measurements out
the_same()
{
	local name=$1 file

	shift
	equal "$(cat "$name.traced/run.rc") $(cat "$name.plain/run.rc")" \
		"0 0" && same <(ls "$name.plain") <(ls "$name.traced") || return
	for file in run.out run.err "$@"; do
		same <("neutral_$name" "$file" <"$name.plain/$file") \
			<("neutral_$name" "$file" <"$name.traced/$file") ||
			return
	done
	# nothing was neutral to the point of being empty
	for file; do
		[ "$("neutral_$name" "$file" <"$name.plain/$file" |
			wc -l)" -gt 10 ] || { echo "no $file"; return 1; }
	done
}

# Every tool ends well and keeps silent on standard error.
tools()
{
	run sba sba -o "$1.sba.tape" "$1.tape"
	run tico tico -o "$1.tico.tape" "$1.sba.tape"
	run info tapedump -i "$1.tico.tape"
	run text tapedump "$1.tape"
	cat {sba,tico,info,text}.err >tools.err
	equal "$(cat {sba,tico,info,text}.rc | paste -sd' ')" "0 0 0 0" &&
		equal "$(said tools.err)" "" &&
		holds ' 0 violations before.* 0 after' sba.out &&
		lacks 'unmatched|let go|unknown requests|incomplete' tico.out
}

whole()
{
	equal "$(end_of "$1.tape" 0)$(end_of "$1.tape" 1)" \
		"finalize 0finalize 0" &&
		[ "$(events "$1.tape" 0)" -ge "$2" ] &&
		[ "$(events "$1.tape" 1)" -ge "$2" ]
}

# program NAME BINARY LEAST FILE... -- ARGUMENT...
program()
{
	local name=$1 binary=$2 least=$3 files=()

	shift 3
	while [ "$1" != -- ]; do files+=("$1"); shift; done
	shift
	if ! command -v "$binary" >/dev/null; then
		skip "$name" "mpi $binary is not installed"
		return
	fi
	pair "$name" "$binary" "$@"
	ok "$name: same results" the_same "$name" "${files[@]}"
	ok "$name: whole traces of at least $least calls a rank" \
		whole "$name" "$least"
	ok "$name: sba, tico and tapedump take them" tools "$name"
}

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
program lammps lmp 1000 run.out log.lammps -- -in in.melt

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
program hpcc hpcc 10000 hpccoutf.txt --

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
program netpipe NPopenmpi 1000 run.err np.out -- -u 3000 -n 20
finish
