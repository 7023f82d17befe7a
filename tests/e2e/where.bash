# Sourced by the tests of tapewhere: programs that are put into calls for ever,
# looked at while they run, and again after kill -9. $program: their file.
. "$(dirname "$0")/tap.bash"

program=where
job=
# start CASE [OPTION...]: case.tape, of four ranks of the test's program
start()
{
	local name=$1

	shift
	mpirun --bind-to none -np 4 taperun "$@" -o "$name" "./$program" "$name" \
		>"$name.out" 2>&1 </dev/null &
	job=$!
}

# Those of the trace, and then mpirun.
kill_ranks()
{
	local pid

	for pid in $(pids_of "$1"); do
		kill -KILL "$pid" 2>/dev/null
	done
	end_mpirun
}

# Having lost its ranks it now and then waits for ever: tap.bash.
end_mpirun()
{
	local i

	for ((i = 0; i < 50; i++)); do
		kill -0 "$job" 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL "$job" 2>/dev/null
	wait "$job" 2>/dev/null
	job=
	return 0
}

pids_of()
{
	if [ -e "$1.tape/rank.0" ]; then
		sed -n 's/^pid //p' "$1.tape"/rank.*
	else
		grep -ao '^pid [0-9]*' "$1.tape"/node.* | sed 's/.* //'
	fi
}
stop_job() { [ -z "$job" ] || kill -KILL "$job"; }
later stop_job

# holds CASE EXPRESSION: is it true of the answer?
holds()
{
	tapewhere -j "$1.tape" >"$1.json" 2>"$1.err" &&
		jq -e "$2" "$1.json" >/dev/null
}

# comes_to CASE EXPRESSION: all ranks come to where they stay; no deadlock is
# certain before it is true.
comes_to()
{
	local i

	for ((i = 0; i < 600; i++)); do
		holds "$1" "$2" && return 0
		sleep 0.1
	done
	cat "$1.err" "$1.json" "$1.out"
	return 1
}

# hangs CASE EXPRESSION [OPTION...]: while it runs, and after it was killed
hangs()
{
	local name=$1 truth=$2

	shift 2
	start "$name" "$@"
	ok "$name: while it runs" comes_to "$name" ".running and ($truth)"
	kill_ranks "$name"
	ok "$name: killed" holds "$name" "(.running | not) and ($truth)"
	tapewhere "$name.tape" >"$name.txt" 2>&1
}

# innocent CASE TIMES EXPRESSION: no deadlock, so often, and the truth once
innocent()
{
	local name=$1 times=$2 truth=$3 i

	for ((i = 0; i < times; i++)); do
		holds "$name" "$nobody" || { cat "$name.json"; return 1; }
	done
	comes_to "$name" ".running and ($truth)" && holds "$name" "$nobody"
}

# goes_on CASE TIMES EXPRESSION
goes_on()
{
	start "$1"
	ok "$1: it runs" comes_to "$1" ".running"
	ok "$1: nobody is accused" innocent "$@"
	kill_ranks "$1"
	ok "$1: nobody is accused after it was killed" holds "$1" \
		"$nobody and (.running | not)"
}

nobody='([.deadlocks[], .waiting_for_ended[] | select(.certain)] == []) and
	.different_collectives == []'
certain='[.deadlocks[] | select(.certain) | .ranks | sort]'
# state RANK: where that rank is
state() { echo "(.threads[] | select(.rank == $1))"; }

