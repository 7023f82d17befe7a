#!/bin/bash
# Filters (calls, regions, marks, files) and max_rate on filter.c, which says
# what it calls where: what is recorded is what the settings say, what is only
# counted is counted to the last call, and the program notices nothing.
# Truth: the program's own count of calls.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
top=$TAPE_TOP lib=$TAPE_BUILD/lib

compile()
{
	mpicc -O1 -g -shared -fPIC -o libelse.so "$here/filter_else.c" &&
		mpicc -O1 -g -w -I"$top/runtime" -o filter "$here/filter.c" \
			-L. -Wl,-rpath,"$PWD" -lelse -lpthread &&
		mpicc -O1 -g -w -I"$top/runtime" -o filter.linked \
			"$here/filter.c" -L. -Wl,-rpath,"$PWD:$lib" -L"$lib" \
			-ltape-mpi -lelse -lpthread &&
		cp "$here"/filter*.c . &&
		tapecc -O1 -g -w -o filter.source filter.c filter_else.c \
			-lpthread
}
compile || { echo "Bail out! filter.c does not compile"; exit 1; }

# tally TRACE: what is in it but Init, Finalize, Comm_rank and Comm_size
tally()
{
	tapedump -i "$1" 2>/dev/null |
		awk '/^only counted/ { exit }
			$1 ~ /^(MPI_[A-Za-z_]+|enter|leave|on|off|counted)$/ {
			print $1, $3 }' |
		grep -vE '^MPI_(Init|Finalize|Comm_(rank|size))' | sort |
		paste -sd' '
}
# names TRACE: the regions that rank 0 entered, in order
names()
{
	tapedump "$1" 2>/dev/null | awk '
		$1 == "flow" { mine = $2 == 0 }
		mine && $3 == "enter" { sub(/.*; [0-9.]* (alpha [^ ]* ns )?/, "")
			print }' | paste -sd,
}
in_order()
{
	equal "$(end_of "$1" 0)$(end_of "$1" 1)" "finalize 0finalize 0"
}
# as_said NAME TALLY [NAMES]: NAME.tape holds these, the run is as without
as_said()
{
	alike plain "$1" && lacks '^tape: ' "$1.err" &&
		equal "$(tally "$1.tape")" "$2" && in_order "$1.tape" &&
		{ [ $# -lt 3 ] || equal "$(names "$1.tape")" "$3"; }
}
both() # NAME MODE SETTING...: traced by preload
{
	local name=$1 mode=$2 s=()

	shift 2
	for i; do s+=(-s "$i"); done
	run "$name" mpirun -np 2 taperun -o "$name" "${s[@]}" ./filter $mode
}

run plain mpirun -np 2 ./filter regions
all="MPI_Allreduce 26 MPI_Barrier 50 MPI_Sendrecv 34 MPI_Type_size 2"
both everything regions
ok "without filters: all" as_said everything "$all enter 10 leave 10" \
	"setup,solve,io_write,exchange,two words"

# ---- calls ----

while IFS='|' read -r setting what; do
	both calls regions "calls=$setting" groups=-region
	ok "calls = $setting" as_said calls "$what"
	rm -rf calls.tape
done <<'END'
-MPI_Barrier|MPI_Allreduce 26 MPI_Sendrecv 34 MPI_Type_size 2
-MPI_*|
MPI_Type_*, MPI_Send*|MPI_Sendrecv 34 MPI_Type_size 2
-MPI_* +MPI_?llreduce|MPI_Allreduce 26
END
both calls regions "calls=+MPI_Barrier" groups=datatype
ok "groups and calls together" as_said calls "MPI_Barrier 50 MPI_Type_size 2"
run s env TAPE_CALLS=-MPI_Barrier TAPE_GROUPS=-region TAPE_TRACE=linked \
	mpirun -np 2 ./filter.linked regions
mv s.out linked.out; mv s.err linked.err; mv s.rc linked.rc
ok "the same, linked" as_said linked \
	"MPI_Allreduce 26 MPI_Sendrecv 34 MPI_Type_size 2"
run source env TAPE_CALLS=-MPI_Barrier TAPE_GROUPS=-region TAPE_TRACE=source \
	mpirun -np 2 ./filter.source regions
ok "the same, by its source" as_said source \
	"MPI_Allreduce 26 MPI_Sendrecv 34 MPI_Type_size 2"

# refused SETTING SENTENCE
refused()
{
	run refused taperun -s "$1" ./filter
	equal "$(cat refused.rc) $(cat refused.out) $(wc -l <refused.err)" \
		"2  1" && holds "^taperun: $2" refused.err
}
while IFS='|' read -r setting sentence; do
	ok "$setting is refused" refused "$setting" "$sentence"
done <<'END'
calls=-MPI_Sned|calls: MPI_Sned is not a call;
calls=-MPI_Send,-mpi_*|calls: mpi_\* is not a call;
calls=-|calls = -: expected up to 64 patterns
regions=a - b|regions = a - b: expected
max_rate=fast|max_rate = fast: expected events per second
groups=-sends|groups = -sends: expected all, none, .*p2p, probe
END

# ---- regions and marks ----

while IFS='|' read -r setting what marks; do
	both regions regions "regions=$setting"
	ok "regions = $setting" as_said regions "$what" "$marks"
	rm -rf regions.tape
done <<'END'
-setup|MPI_Allreduce 26 MPI_Barrier 44 MPI_Sendrecv 34 enter 10 leave 10|setup,solve,io_write,exchange,two words
solve|MPI_Allreduce 26 MPI_Barrier 22 MPI_Sendrecv 34 enter 6 leave 6|solve,io_write,exchange
solve -io_*|MPI_Barrier 22 MPI_Sendrecv 34 enter 6 leave 6|solve,io_write,exchange
-solve, +ex*|MPI_Barrier 28 MPI_Sendrecv 34 MPI_Type_size 2 enter 8 leave 8|setup,solve,exchange,two words
two?words|MPI_Barrier 8 enter 2 leave 2|two words
END
both marks regions "marks=-io_* -s*"
ok "marks = -io_* -s*: their calls stay" \
	as_said marks "$all enter 4 leave 4" "exchange,two words"
both marks2 regions "regions=solve" groups=-region
ok "regions without their marks" as_said marks2 \
	"MPI_Allreduce 26 MPI_Barrier 22 MPI_Sendrecv 34" ""
run regions env TAPE_REGIONS=solve TAPE_TRACE=regions \
	mpirun -np 2 ./filter.source regions
ok "regions by the source door" as_said regions \
	"MPI_Allreduce 26 MPI_Barrier 22 MPI_Sendrecv 34 enter 6 leave 6"
rm -rf regions.tape
both nosuch regions "regions=-slove, -setup" "marks=-x*"
nosuch()
{
	alike plain nosuch && equal "$(grep '^tape: ' nosuch.err | paste -sd,)" \
		'tape: regions: no region matched "slove",tape: marks: no region matched "x*"'
}
ok "a pattern that no region had is said at the end, once" nosuch
run plain mpirun -np 2 ./filter off
both switched off regions=-setup
ok "tape_off and tape_on inside of and across such a region" as_said switched \
	"MPI_Barrier 40 enter 2 off 4 on 4"
both switched2 off
ok "the same without the filter" as_said switched2 \
	"MPI_Barrier 58 enter 2 off 4 on 4"

# ---- files ----

run plain mpirun -np 2 ./filter regions
while IFS='|' read -r setting what; do
	both files regions "files=$setting" groups=-region
	ok "files = $setting, modules" as_said files "$what"
	rm -rf files.tape
done <<'END'
-libelse*|MPI_Allreduce 26 MPI_Barrier 42 MPI_Sendrecv 34 MPI_Type_size 2
libelse.so|MPI_Barrier 8
-*/filter|MPI_Barrier 8
END
while IFS='|' read -r setting what; do
	run files env TAPE_FILES="$setting" TAPE_GROUPS=-region \
		TAPE_TRACE=files mpirun -np 2 ./filter.source regions
	ok "files = $setting, source files" as_said files "$what"
	rm -rf files.tape
done <<'END'
-filter_else.c|MPI_Allreduce 26 MPI_Barrier 42 MPI_Sendrecv 34 MPI_Type_size 2
*_else.c|MPI_Barrier 8
END
both nofile regions "files=-nosuch.c" groups=-region
ok "a pattern that no file had is said" \
	holds '^tape: files: no file matched "nosuch.c"$' nofile.err

# ---- messages of which one end is missing ----

both halves "one 1000" "calls=-MPI_Isend"
one_sentence()
{
	run sba sba -o halves.sba.tape halves.tape
	run tico tico -o halves.tico.tape halves.sba.tape
	run t2np t2np -o halves.trf halves.tico.tape
	equal "$(cat sba.rc tico.rc t2np.rc sba.err tico.err |
		paste -sd' ')" "0 0 0" &&
		equal "$(grep -c '^t2np: ' t2np.err)" 2 &&
		holds '^t2np: .*not recorded: .*calls = -MPI_Isend$' t2np.err &&
		holds '^unmatched +0 sends, 2000 receives' sba.out &&
		equal "$(grep -c 'not recorded .*calls = -MPI_Isend$' sba.out) $(
			grep -c 'not recorded .*calls = -MPI_Isend$' tico.out)" \
			"1 1" && holds '"calls = -MPI_Isend"' <(
			sba -j -o halves.2.tape halves.tape)
}
ok "receives without their sends: one sentence of each tool" one_sentence

# ---- max_rate ----

# only_counted TRACE WHAT: calls that were counted, of all ranks
only_counted()
{
	tapedump -i "$1" 2>/dev/null | awk -v what="$2" '
		/^only counted/ { on = 1; next }
		/^$/ { on = 0 }
		on && $5 == what { n += $1 }
		END { print n + 0 }'
}
recorded() { echo $(($(events "$1" 0 "$2") + $(events "$1" 1 "$2"))); }
# counted_all NAME N: of N calls each is recorded or counted, some are either
counted_all()
{
	local r=$(recorded "$1.tape" MPI_Sendrecv)
	local c=$(only_counted "$1.tape" MPI_Sendrecv)

	equal $((r + c)) "$2" && [ "$r" -gt 0 ] && [ "$c" -gt 0 ] &&
		equal "$(recorded "$1.tape" MPI_Allreduce)" $(($2 / 1000))
}
run plain mpirun -np 2 ./filter hot 100000
regulated() { alike plain "$1" && counted_all "$1" 200000 && in_order "$1.tape"; }
both rate "hot 100000" max_rate=1000
ok "the hot call is counted, the others are recorded" regulated rate
run ratel env TAPE_MAX_RATE=1000 TAPE_TRACE=ratel \
	mpirun -np 2 ./filter.linked hot 100000
ok "the same, linked" regulated ratel
run rates env TAPE_MAX_RATE=1000 TAPE_TRACE=rates \
	mpirun -np 2 ./filter.source hot 100000
ok "the same, by its source" regulated rates
both ratem "hot 100000" max_rate=1000 alpha=measured window=1
ok "the same, alpha measured" regulated ratem
both rateb "hot 100000" max_rate=1000000000
ok "a rate that is not reached: all is recorded" equal \
	"$(recorded rateb.tape MPI_Sendrecv) $(tally rateb.tape)" \
	"200000 MPI_Allreduce 200 MPI_Sendrecv 200000"
tools()
{
	local f

	run sba sba -o "$1.sba.tape" "$1.tape"
	run tico tico -o "$1.tico.tape" "$1.sba.tape"
	run t2np t2np -o "$1.trf" "$1.tico.tape"
	equal "$(cat sba.rc tico.rc t2np.rc sba.err tico.err |
		paste -sd' ')" "0 0 0" || return
	for f in sba.out tico.out t2np.err; do
		holds 'not recorded.*max_rate: [0-9]+ calls at 1 call site' \
			$f || return
	done
	equal "$(only_counted "$1.tico.tape" MPI_Sendrecv)" \
		"$(only_counted "$1.tape" MPI_Sendrecv)"
}
ok "sba, tico and t2np take it and say so; the counts stay" tools rate
round()
{
	tapedump rate.tape >rate.txt && tapedump --assemble -o back.tape rate.txt &&
		tapedump back.tape | cmp - rate.txt
}
ok "as text and back" round

both rater "hot 100000 region" max_rate=1000
run plain mpirun -np 2 ./filter hot 100000 region
region_counted()
{
	local r=$(tally rater.tape | sed 's/.*enter \([0-9]*\).*/\1/')
	local l=$(tally rater.tape | sed 's/.*leave \([0-9]*\).*/\1/')
	local c=$(only_counted rater.tape region)

	alike plain rater && equal $((r + c)) 200000 && equal "$r" "$l" &&
		[ "$c" -gt 0 ] && in_order rater.tape &&
		equal "$(recorded rater.tape MPI_Allreduce)" 200
}
ok "a region is counted like a call site, leaves with their enters" \
	region_counted

count() { od -An -tu8 "$1" | awk 'NR == 1 { print $1 }'; }
run plain env COUNTS=p mpirun -np 1 ./filter hot 100000 kill
run kill env COUNTS=k mpirun -np 1 taperun -s max_rate=1000 -o kill \
	./filter hot 100000 kill
killed()
{
	local r=$(events kill.tape 0 MPI_Sendrecv)
	local c=$(only_counted kill.tape MPI_Sendrecv)

	equal "$(cat kill.rc) $(end_of kill.tape 0)" \
		"$(cat plain.rc) none 0" && equal "$(count k.0)" 100000 &&
		equal $((r + c)) 100000 && [ "$c" -gt 50000 ]
}
ok "after SIGKILL the counter is there to the last call" killed
kept()
{
	run sba sba -o kill.sba.tape kill.tape
	run tico tico -o kill.tico.tape kill.sba.tape
	equal "$(only_counted kill.tico.tape MPI_Sendrecv)" \
		"$(only_counted kill.tape MPI_Sendrecv)" &&
		equal "$(cat sba.rc tico.rc | paste -sd' ')" "0 0"
}
ok "after SIGKILL: the tools keep it" kept

run plain mpirun -np 2 ./filter threads 100000
sort -o plain.out plain.out
both threads "threads 100000" max_rate=1000
sort -o threads.out threads.out
threads_counted() { alike plain threads && counted_all threads 400000; }
ok "threads: each call of each is recorded or counted" threads_counted

run plain mpirun -np 2 ./filter poll 300000
both poll "poll 300000" max_rate=1000
polls()
{
	alike plain poll && equal "$(tally poll.tape)" "MPI_Iprobe 600000"
}
ok "a run of failed probes is one event: nothing to regulate" polls
both full "hot 100000" max_rate=1000 max_size=1 window=1
run plain mpirun -np 2 ./filter hot 100000
ok "with max_size, which is not reached then" regulated full
finish
