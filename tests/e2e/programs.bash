# Sourced by the tests that trace programs of others, from Debian's packages:
# what they print and how they end is the same with and without Tape, every
# call that an independent counter saw is in the trace (tests/rigs/counter), and
# the tools take the trace without a warning.
#
#	. "$(dirname "$0")/programs.bash"
#	mkdir melt && cp ... melt	# what it reads
#	neutral_melt() { ... }		# takes the measurements out
#	ranks=2 program melt lmp 1000 log.lammps -- -in in.melt
#	finish
#
# What a program measures of itself differs from run to run, traced or not;
# "neutral_NAME FILE" says for each program which of its figures these are.
. "$(dirname "${BASH_SOURCE[0]}")/tap.bash"
need mpirun
PATH=$TAPE_BUILD/rig:$PATH

# in_directory DIRECTORY COMMAND...: its standard input is $input, if set
in_directory()
{
	cd "$1" && shift || return
	"$@" >run.out 2>run.err <"${input:-/dev/null}"
	echo $? >run.rc
	cd ..
}

# Both runs, each in a directory of its own, NAME.plain and NAME.traced.
pair()
{
	local name=$1

	shift
	mkdir -p "$name"
	cp -rL "$name" "$name.plain" && cp -rL "$name" "$name.traced"
	in_directory "$name.plain" mpirun -np "${ranks:-2}" "$@"
	in_directory "$name.traced" mpirun -np "${ranks:-2}" \
		taperun -o "../$name" count "../$name.counts" "$@"
}

# the_same NAME FILE...: status, the list of files, and what they hold once
# the measurements are out
the_same()
{
	local name=$1 file

	shift
	equal "$(cat "$name.traced/run.rc") $(cat "$name.plain/run.rc")" \
		"${status:-0} ${status:-0}" &&
		same <(ls "$name.plain") <(ls "$name.traced") || return
	for file in run.out run.err "$@"; do
		same <("neutral_$name" "$file" <"$name.plain/$file") \
			<("neutral_$name" "$file" <"$name.traced/$file") ||
			return
	done
	# nothing was neutral to the point of being empty
	for file; do
		[ "$("neutral_$name" "$file" <"$name.plain/$file" |
			wc -l)" -ge "${lines:-10}" ] ||
			{ echo "no $file"; return 1; }
	done
}

# Every flow ends with MPI_Finalize, and has at least so many calls.
whole()
{
	local r

	for ((r = 0; r < ${ranks:-2}; r++)); do
		[ "${end:-}" = any ] && break
		equal "$(end_of "$1.tape" $r)" "${end:-finalize 0}" || return
	done
	counted -a ${killed:+-k} "$1.tape" "$1.counts" >"$1.counted" || {
		grep -v ' 0 missing' "$1.counted"
		return 1
	}
	[ "$(awk '{ print $9 }' <(tail -n 1 "$1.counted"))" -ge "$2" ] ||
		{ cat "$1.counted"; return 1; }
}

# Every tool ends well and keeps silent on standard error, but for what $warned
# allows of a run that did not end with MPI_Finalize. What tico has to say of a
# trace that is whole is nothing, but for lines that $explained allows.
tools()
{
	run sba sba -o "$1.sba.tape" "$1.tape"
	run tico tico -o "$1.tico.tape" "$1.sba.tape"
	run info tapedump -i "$1.tico.tape"
	# a line for each of tens of millions of events says nothing more
	run text tapedump ${long:+-i} "$1.tape"
	cat {sba,tico,info,text}.err >tools.err
	equal "$(cat {sba,tico,info,text}.rc | paste -sd' ')" "0 0 0 0" &&
		lacks . <(said tools.err | grep -vE "${warned:-^$}") &&
		holds ' 0 violations before.* 0 after' sba.out &&
		holds '^causality  *0 violations before.*; 0 after' tico.out &&
		lacks '^(unmatched|partner missing|unknown requests|incomplete)' \
			<(grep -vE "${explained:-^$}" tico.out)
}

# program NAME BINARY LEAST FILE... -- ARGUMENT...: with $ranks (2) ranks, at
# least LEAST calls in all
program()
{
	local name=$1 binary=$2 least=$3 files=()

	shift 3
	while [ "$1" != -- ]; do files+=("$1"); shift; done
	shift
	if ! command -v "$binary" >/dev/null && ! [ -x "$name/$binary" ]; then
		skip "$name" "mpi $binary is not installed"
		return
	fi
	pair "$name" "$binary" "$@"
	ok "$name: same results" the_same "$name" "${files[@]}"
	ok "$name: every call is in the trace, at least $least" \
		whole "$name" "$least"
	ok "$name: sba, tico and tapedump take it" tools "$name"
}
