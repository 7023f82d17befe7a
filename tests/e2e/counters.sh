#!/bin/bash
# Counters: what the kernel and PAPI count around known work (counters.c), what
# is left out and how that is said, and that the program does not notice.
# Truth: known work; the kernel, PAPI.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build counters counters.c

# at TRACE RANK THREAD: the lines of that flow's events
at()
{
	tapedump "$1" | sed 's/ ;.*//' |
		awk -v r="$2" -v t="$3" '
			$1 == "flow" { mine = $2 == r && $3 == t; next }
			mine && $2 ~ /^\+/'
}

# count COUNTER FIELD: of the event lines read, 0 where it is left out
# (FIELD 2: before, 3: inside)
count()
{
	awk -v c="count=$1:" -v k="$2" '{
		n = 0
		for (i = 4; i <= NF; i++)
			if (index($i, c) == 1) { split($i, p, ":"); n = p[k] }
		print n }'
}
sum() { awk '{ s += $1 } END { print s + 0 }'; }

# between LOW N HIGH
between() { [ "$1" -le "$2" ] && [ "$2" -le "$3" ] ||
	{ echo "$2 is not from $1 to $3"; false; }; }

# known WORD RANK: what the program itself counted
known() { awk -v w="$1" '$1 == w { print $2 }' "$TRUTH.$2"; }

export TRUTH=$work/truth
all=minor_faults,cpu,major_faults,voluntary_switches,involuntary_switches,max_rss

# ---- page faults ----

run plain mpirun -np 2 ./counters faults
rm -f truth.*
run faults mpirun -np 2 taperun -s counters=$all -o faults ./counters faults
ok "a program with counters: results" alike plain faults
ok "not a word from Tape" equal "$(grep -c tape: faults.err)" 0
defined()
{
	equal "$(grep ^counter faults.tape/rank.1 | cut -d' ' -f1-5)" \
"counter 0 minor_faults count events
counter 1 cpu ns events
counter 2 major_faults count events
counter 3 voluntary_switches count events
counter 4 involuntary_switches count events
counter 5 max_rss KiB events"
}
ok "counters are defined by name, unit and place" defined
negative() { at faults.tape 0 0; at faults.tape 1 0; }
ok "what is calibrated at the end leaves no count below 0" equal \
	"$(negative | grep -c 'count=[0-9]*:-')" 0
# pages R: the mark that ends the region has its faults and few others; the
# events around it do not
pages()
{
	local r=$1 own

	at faults.tape "$r" 0 >events
	own=$(known faults "$r")
	between 1000 "$own" 1100 &&
		between "$own" "$(awk '$3 == "leave"' events | head -n 1 |
			count 0 2)" $((own + 50)) &&
		between 300 "$(awk '$3 == "leave"' events | tail -n 1 |
			count 0 2)" 400 &&
		between 0 "$(awk '$3 == "MPI_Barrier"' events | head -n 3 |
			count 0 2 | tail -n 2 | sum)" 50
}
ok "touched pages are minor faults of their region, rank 0" pages 0
ok "and on rank 1" pages 1
resident()
{
	between 3000 "$(at faults.tape 1 0 | awk '$3 == "leave"' |
		count 5 2 | head -n 1)" 4800
}
ok "and they are resident" resident
region_line() { tapedump -i "$1.tape" | awk -v c="$2," -v r="$3" '
	/, [A-Za-z]+ +/ { mine = $1 == c }
	mine && $1 == "region" && $2 == r { print $NF }'; }
summed()
{
	between 2000 "$(region_line faults minor_faults touch)" 2200 &&
		between 600 "$(region_line faults minor_faults again)" 800
}
ok "tapedump -i sums them up by region" summed

run linked mpirun -np 2 env TAPE_COUNTERS=minor_faults TAPE_TRACE=linked \
	./counters.linked faults
ok "the library linked, settings from the environment" \
	between 1000 "$(at linked.tape 0 0 | awk '$3 == "leave"' |
		count 0 2 | head -n 1)" 1100

# at regions: nothing at calls, everything in the regions, and all in all
run regions mpirun -np 2 taperun -s counters=minor_faults \
	-s counters_at=regions -o regions ./counters faults
at_regions()
{
	at regions.tape 0 0 >events
	equal "$(grep -c 'MPI_Barrier.*count=' events)" 0 &&
		between 1000 "$(awk '$3 == "leave"' events | count 0 2 |
			head -n 1)" 1100 &&
		holds '^counter 0 minor_faults count regions ' \
			regions.tape/rank.0
}
ok "counters_at = regions: results" alike plain regions
ok "counters_at = regions: at marks only" at_regions

run none mpirun -np 2 taperun -o none ./counters faults
no_counts()
{
	equal "$(tapedump none.tape | grep -c ' count=')" 0 &&
		lacks ^counter none.tape/rank.0
}
ok "no counters unless asked for" no_counts

# ---- time of a processor ----

run times mpirun -np 2 taperun -s counters=cpu,voluntary_switches -o times \
	./counters times
burns()
{
	at times.tape "$1" 0 >events
	between 100000000 "$(awk '$3 == "leave"' events | head -n 1 |
		count 0 2)" 150000000 &&
		between 0 "$(awk '$3 == "leave"' events | tail -n 1 |
			count 0 2)" 20000000 &&
		between 1 "$(awk '$3 == "leave"' events | tail -n 1 |
			count 1 2)" 100
}
ok "burning takes time of the processor, sleeping next to none" burns 0
off()
{
	between 50000000 "$(awk '$3 == "on"' events | count 0 2)" 1000000000 &&
		tapedump -i times.tape >times.txt &&
		between 100000000 "$(awk '/^while switched/ { print $NF; exit }' \
			times.txt)" 2000000000
}
ok "what is counted while off is told apart" off
# nothing is left out: all that the flow's thread used, and no more
whole()
{
	local total

	total=$( (count 0 2 <events; count 0 3 <events) | sum)
	between 150000000 "$total" 2000000000
}
ok "in and outside of calls" whole

# ---- runs of failed tests ----

rm -f truth.*
run polls mpirun -np 2 taperun -s counters=minor_faults,cpu -o polls \
	./counters polls
in_runs()
{
	local tests

	at polls.tape 0 0 | grep MPI_Test >events
	tests=$(events polls.tape 0 MPI_Test)
	# the pages after the last, successful test are the barrier's
	between $((3 * (tests - 2))) "$(count 0 2 <events | sum)" \
		$((3 * tests + 60)) &&
		between 0 "$(count 0 3 <events | sum)" 60
}
ok "between the failed tests of a run the program counts on" in_runs

# ---- threads ----

rm -f truth.*
run threads mpirun -np 2 taperun -s counters=minor_faults -o threads \
	./counters threads
# Of both threads, in one flow or in two: large K, the counts of counter K that
# are more than a call's own.
large()
{
	local t

	for t in 1 2; do
		[ ! -e "$2.tape/flow.1.$t" ] || at "$2.tape" 1 $t
	done | count "$1" 2 | awk '$1 > 400'
}
per_thread()
{
	local n

	equal "$(large 0 threads | wc -l)" 2 || return
	for n in $(large 0 threads); do between 700 "$n" 800 || return; done
	between 0 "$(at threads.tape 1 0 | grep MPI_Barrier | tail -n 1 |
		count 0 2)" 400
}
ok "each thread counts for itself" per_thread

# ---- alpha ----

# An event with counters costs more, and its alpha says so.
alpha_of() { awk -v c="$2" '$1 == "alpha" && $2 == c { print int($3 + $4) }' \
	"$1.tape/rank.0"; }
ok "the constants of alpha hold the readings" \
	between $((2 * $(alpha_of none local))) "$(alpha_of faults local)" 1000000
ok "at regions only those of the marks do" \
	between $((2 * $(alpha_of none enter))) "$(alpha_of regions enter)" 1000000
run measured mpirun -np 2 taperun -s counters=$all -s alpha=measured \
	-o measured ./counters faults
measured()
{
	alike plain measured &&
		between 1 "$(awk '$3 == "leave"' <(at measured.tape 1 0) |
			count 0 2 | grep -c '^1...$')" 2 &&
		equal "$(at measured.tape 1 0 | grep ' MPI_' |
			grep -v Finalize | grep -vc ' alpha=')" 0
}
ok "alpha = measured" measured

# ---- many events: windows that move, a size that is reached ----

build doors doors.c
rm -f truth.*
run many mpirun -np 2 ./doors many 60000
run window mpirun -np 2 taperun -s window=1 -s counters=minor_faults,cpu \
	-o window ./doors many 60000
windows()
{
	alike many window && equal "$(events window.tape 1 MPI_Sendrecv)" 60000 &&
		between 1048576 "$(stat -c %s window.tape/flow.1.0)" 9999999
}
ok "window = 1: it moves, nothing is lost" windows
ok "the pages of a new window are not the program's faults" between 0 \
	"$(at window.tape 1 0 | grep Sendrecv | count 0 2 | sum)" 200
run max mpirun -np 2 taperun -s window=1 -s max_size=1 \
	-s counters=minor_faults,cpu,max_rss -o max ./doors many 60000
ends_at_size()
{
	local n lost

	alike many max || return
	n=$(events max.tape 0)
	lost=$(end_of max.tape 0)
	equal "$((n + ${lost#limit })) ${lost%% *}" "60004 limit"
}
ok "max_size = 1: the first MiB, and the rest is counted" ends_at_size

# ---- sentences ----

refused()
{
	local words=$1

	shift
	run refused taperun "$@" ./counters faults
	equal "$(cat refused.rc) $(cat refused.out)" "2 " &&
		equal "$(wc -l <refused.err)" 1 && holds "$words" refused.err
}
ok "an unknown name of our own is refused at the start" refused \
	'counters = cpu,cycles: expected none, or .*cpu, minor_faults,' \
	-s counters=cpu,cycles
ok "counters_at = calls is refused" refused \
	'counters_at = calls: expected events or regions' -s counters_at=calls

# left_out NAME WORDS: the program ran as it does, one line was said, and the
# rest of the counters was counted
left_out()
{
	alike plain "$1" && equal "$(grep -c tape: "$1.err")" 1 &&
		holds "^tape: rank 0 and 1 more: counters left out: $2" \
			"$1.err" &&
		equal "$(grep -h ^counter "$1".tape/rank.[01] | cut -d' ' -f1-3)" \
"counter 0 minor_faults
counter 0 minor_faults" &&
		between 1000 "$(at "$1.tape" 0 0 | awk '$3 == "leave"' |
			count 0 2 | head -n 1)" 1100
}

cat >soname.c <<'END'
#include <papi.h>
#include <stdio.h>
int main(void)
{
	printf("libpapi.so.%d.%d\n", PAPI_VERSION_MAJOR(PAPI_VERSION),
	       PAPI_VERSION_MINOR(PAPI_VERSION));
	return 0;
}
END
if ! gcc -o soname soname.c 2>/dev/null; then
	skip "PAPI" "libpapi-dev is not installed"
	finish
	exit
fi
papi=$(./soname)

mkdir nopapi && : >nopapi/$papi
run nopapi mpirun -np 2 env LD_LIBRARY_PATH=$work/nopapi \
	taperun -s counters=PAPI_TOT_INS,minor_faults -o nopapi ./counters faults
ok "no PAPI there" left_out nopapi "PAPI_TOT_INS .PAPI cannot be loaded: $papi"
ok "libtape-mpi does not need PAPI" lacks papi \
	<(ldd "$TAPE_BUILD/lib/libtape-mpi.so")

# ---- PAPI itself, by counters that a program defines ----

cat >sde.c <<'END'
#include <mpi.h>
#include <sde_lib.h>
int main(int argc, char **argv)
{
	static long long rounds, level;
	papi_handle_t h = papi_sde_init("prog");

	papi_sde_register_counter(h, "rounds", PAPI_SDE_RO | PAPI_SDE_DELTA,
				  PAPI_SDE_long_long, &rounds);
	papi_sde_register_counter(h, "level", PAPI_SDE_RO | PAPI_SDE_INSTANT,
				  PAPI_SDE_long_long, &level);
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 5; i++) {
		rounds += 1000 + i;
		level = i % 2 ? -3 : 8;
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
END
if mpicc -w -rdynamic -o sde sde.c -lsde 2>/dev/null && ldconfig -p | grep -q $papi
then
	run sde mpirun -np 2 taperun -o sde -s \
		counters=sde:::prog::rounds,minor_faults,sde:::prog::level ./sde
	ok "PAPI: it runs" equal "$(cat sde.rc) $(cat sde.err)" "0 "
	ok "PAPI: a counter of the program's" equal \
		"$(at sde.tape 1 0 | grep MPI_Barrier | count 0 2 | paste -sd' ')" \
		"1000 1001 1002 1003 1004"
	ok "PAPI: one that falls" equal \
		"$(at sde.tape 0 0 | grep MPI_Barrier | count 2 2 | paste -sd' ')" \
		"8 -11 11 -11 11"
	run nix mpirun -np 2 taperun -s counters=minor_faults,perf::NONSENSE \
		-o nix ./counters faults
	ok "PAPI: an event that it does not know" left_out nix \
		'perf::NONSENSE .PAPI: Event does not exist'
else
	skip "PAPI: counters of the program's" "libpapi or libsde is missing"
fi

# where PAPI has the kernel's software events: against rusage
if papi_component_avail 2>/dev/null | grep -A1 '^Name: *perf_event ' |
	grep -q Disabled; then
	skip "PAPI: page faults by perf" "PAPI has no perf_event here"
else
	rm -f truth.*
	run perf mpirun -np 2 taperun -s counters=perf::PAGE-FAULTS,minor_faults \
		-o perf ./counters faults
	ok "PAPI: page faults by perf" between \
		"$(at perf.tape 0 0 | count 1 2 | sum)" \
		"$(at perf.tape 0 0 | count 0 2 | sum)" 100000
fi

# ---- PAPI's manners, by one of our own on the kernel's software events ----

mkdir fake
gcc -D_GNU_SOURCE -w -shared -fPIC -O1 -Wl,-soname,$papi -o fake/$papi \
	"$here/fake_papi.c" || exit 1
# with_fake NAME COUNTERS PROGRAM: under the stand-in, with its faults and more
with_fake()
{
	rm -f truth.*
	run "$1" mpirun -np 2 env LD_LIBRARY_PATH=$work/fake taperun \
		-s counters="$2" -o "$1" ./counters "$3"
}
with_fake try fake::FAULTS faults
if ! grep -q ^counter try.tape/rank.0; then
	skip "descriptors of counters" "the kernel refuses performance events"
	finish
	exit
fi
same_faults()
{
	local r k

	for r in 0 1; do
		at fake.tape $r 0 | awk '$3 == "leave"' >events
		equal "$(count 0 2 <events | paste -sd' ')" \
			"$(count 2 2 <events | paste -sd' ')" || return
	done
	holds '^counter 0 fake::FAULTS faults events 0$' fake.tape/rank.0 &&
		holds '^counter 1 fake::SWITCHES count events' fake.tape/rank.0
}
with_fake fake fake::FAULTS,fake::SWITCHES,minor_faults faults
ok "two components: results" alike plain fake
ok "two components: PAPI's faults are those of getrusage" same_faults
with_fake alone fake::ALONE,fake::FAULTS,minor_faults faults
not_together()
{
	alike plain alone && equal "$(grep -c tape: alone.err)" 1 &&
		holds 'left out: fake::FAULTS .PAPI: they cannot be combined, in combination with the events before it.$' \
			alone.err &&
		equal "$(grep ^counter alone.tape/rank.1 | cut -d' ' -f3 |
			paste -sd' ')" "fake::ALONE minor_faults"
}
ok "events that cannot be counted together: the later one is left out" \
	not_together
run version mpirun -np 2 env LD_LIBRARY_PATH=$work/fake FAKE_VERSION=5070000 \
	taperun -s counters=minor_faults,fake::FAULTS -o version ./counters faults
ok "another version of PAPI" left_out version \
	'fake::FAULTS .the installed PAPI is version 5.7, not '

thread_faults()
{
	local n

	equal "$(large 0 tfake | wc -l)" 2 || return
	for n in $(large 0 tfake); do between 700 "$n" 800 || return; done
	equal "$(large 0 tfake)" "$(large 1 tfake)" &&
		lacks tape: tfake.err
}
with_fake tfake fake::FAULTS,minor_faults threads
ok "each thread has an event set of its own" thread_faults

run dplain mpirun -np 2 ./counters descriptors
with_fake dfake fake::FAULTS,fake::SWITCHES descriptors
ok "descriptors, fork, exec and errno: as without" alike dplain dfake
run cplain mpirun -np 2 ./counters closer
with_fake cfake fake::FAULTS,fake::SWITCHES,minor_faults closer
ok "a program that closes PAPI's descriptors: its own files are left alone" \
	alike cplain cfake
ok "and that is said" \
	equal "$(grep -c 'PAPI can no longer be read' cfake.err)" 2
ok "the other counters go on" between 100 \
	"$(at cfake.tape 0 0 | grep MPI_Barrier | count 2 2 | sum)" 100000

finish
