#!/bin/bash
# The ways into Tape (taperun before and behind mpirun, the library linked),
# the names of traces, the settings and the functions of tape.h, each with one
# small program (doors.c).
# Truth: the program without Tape; its own count of calls.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build doors doors.c

# tally TRACE: what is in it, as "NAME N" sorted, in one line
tally()
{
	tapedump -i "$1" 2>/dev/null |
		awk '$1 ~ /^(MPI_[A-Za-z_]+|enter|leave|on|off)$/ {
			print $1, $3 }' | sort | paste -sd' '
}

# A ring of 5 rounds on 2 ranks, as doors.c makes it.
ring5="MPI_Allreduce 10 MPI_Comm_dup 10 MPI_Comm_free 10 MPI_Comm_rank 2"
ring5+=" MPI_Comm_size 2 MPI_Finalize 2 MPI_Init 2 MPI_Iprobe 10 MPI_Irecv 10 MPI_Isend 10 MPI_Recv 10"
ring5+=" MPI_Send 10 MPI_Sendrecv 10 MPI_Type_size 10 MPI_Waitall 10"
run plain mpirun -np 2 ./doors ring 5

in_order()
{
	equal "$(end_of "$1" 0)$(end_of "$1" 1)" "finalize 0finalize 0"
}

# traced NAME TRACE [TALLY]: as without Tape, and the trace holds that
traced()
{
	alike plain "$1" && same plain.err "$1.err" &&
		equal "$(tally "$2")" "${3:-$ring5}" && in_order "$2"
}

# ---- doors, names ----

run behind mpirun -np 2 taperun ./doors ring 5
ok "mpirun taperun program" traced behind doors.tape
run before taperun mpirun -np 2 ./doors ring 5
ok "taperun mpirun program, beside a trace of that name" \
	traced before doors.2.tape
run link mpirun -np 2 ./doors.linked ring 5
ok "the library linked" traced link doors.linked.tape
run both mpirun -np 2 taperun ./doors.linked ring 5
ok "preload and link at once: recorded once" traced both doors.linked.2.tape
run third mpirun -np 2 taperun ./doors ring 5
ok "a third trace" traced third doors.3.tape

run o mpirun -np 2 taperun -o here ./doors ring 5
ok "-o NAME" traced o here.tape
run o2 mpirun -np 2 taperun -o here.tape ./doors ring 5
ok "-o NAME.tape, when that exists" traced o2 here.2.tape
run o3 taperun -o "$work/a b%c" mpirun -np 2 ./doors ring 5
ok "-o with odd characters, before mpirun" traced o3 "$work/a b%c.tape"
run o4 env TAPE_TRACE=there/ mpirun -np 2 ./doors.linked ring 5
ok "TAPE_TRACE=NAME/" traced o4 there.tape
mkdir deep && cp doors deep/
run deep sh -c 'cd deep && exec mpirun -np 2 taperun ./doors ring 5'
ok "the trace is in the directory of the run" traced deep deep/doors.tape

# ---- settings ----

cat >good.conf <<'END'
# a comment
	groups = p2p, collective	# another

trace = by_conf
window=1
END
p2p="MPI_Allreduce 10 MPI_Finalize 2 MPI_Init 2 MPI_Irecv 10 MPI_Isend 10"
p2p+=" MPI_Recv 10 MPI_Send 10 MPI_Sendrecv 10"
run conf mpirun -np 2 taperun --config good.conf ./doors ring 5
ok "-c FILE" traced conf by_conf.tape "$p2p"
mkdir cwd && cp good.conf cwd/tape.conf
run cwd sh -c 'cd cwd && exec mpirun -np 2 taperun ../doors ring 5'
ok "tape.conf in the current directory" traced cwd cwd/by_conf.tape "$p2p"
run env env TAPE_CONF=good.conf TAPE_GROUPS=datatype TAPE_TRACE=by_env \
	taperun mpirun -np 2 ./doors ring 5
ok "the environment wins over the file" \
	traced env by_env.tape "MPI_Finalize 2 MPI_Init 2 MPI_Type_size 10"
run s env TAPE_GROUPS=datatype \
	taperun -s groups=probe -s trace=by_s mpirun -np 2 ./doors ring 5
ok "-s wins over the environment" \
	traced s by_s.tape "MPI_Finalize 2 MPI_Init 2 MPI_Iprobe 10"

# refused WORDS COMMAND...: taperun says no in one line, nothing is run
refused()
{
	local words=$1

	shift
	run refused "$@"
	equal "$(cat refused.rc) $(cat refused.out)" "2 " &&
		equal "$(wc -l <refused.err)" 1 && holds "$words" refused.err
}
while IFS='|' read -r setting words; do
	ok "-s $setting is refused" \
		refused "^taperun: .*$words" taperun -s "$setting" ./doors
done <<'END'
window=0|window = 0: expected MiB from 1 to 4096
window=1MiB|window = 1MiB: expected
window=|window = : expected
max_size=-1|max_size = -1: expected
max_size=99999999999999999999|expected MiB
sampling=sometimes|sampling = sometimes: expected on, off, before or after
arrived=yes|arrived = yes: expected on or off
alpha=both|alpha = both: expected in-situ, calibrated or measured
clock=sundial|clock = sundial: expected
groups=p2p,q2q|groups = p2p,q2q: expected
rounds=0|rounds = 0: expected
sample_ms=0|sample_ms = 0: expected milliseconds from 1 to 60000
period=500|unknown setting
colour=blue|colour=blue: unknown setting
colour|colour: expected setting=value
END
printf 'window = 2\n\ncolour = blue\n' >bad.conf
ok "an unknown setting in a file, with its line" \
	refused '^taperun: .*/bad.conf:3: unknown setting "colour"' \
	taperun --config bad.conf ./doors
echo 'window' >bad.conf
ok "a line without =" refused '/bad.conf:1: expected setting = value' \
	taperun --config bad.conf ./doors
ok "no such file" refused 'none.conf:.*No such file' \
	taperun --config none.conf ./doors
run alone taperun
ok "no program" equal "$(cat alone.rc alone.out)$(grep -c '^usage: taperun' alone.err)" 21
ok "an unknown option" \
	equal "$(taperun -z ./doors >z.out 2>z.err; echo $?)$(cat z.out)" 2
# Hydra may die of its own pipe (141) where all ranks end at once
for i in 1 2 3 4 5; do
	run z mpirun -np 2 taperun -s window=0 ./doors ring 5
	[ "$(cat z.rc)" -eq 141 ] || break
done
ok "behind mpirun: refused as well, nothing is run" \
	equal "$(cat z.rc) $(grep -c sum z.out)" "2 0"

# Without taperun nobody can refuse in time: the program is run, untraced.
untraced()
{
	alike plain "$1" && equal "$(grep -c '^tape: ' "$1.err")" 1 &&
		holds "^tape: .*$2.*; this run is not traced" "$1.err" &&
		equal "$(ls -d ./*nothing* 2>/dev/null)" ""
}
run bad env TAPE_TRACE=nothing TAPE_WINDOW=0 mpirun -np 2 ./doors.linked ring 5
ok "linked, a bad value: one line, the program is run" \
	untraced bad 'window = 0: expected'
run bad env TAPE_TRACE=nothing TAPE_CONF=bad.conf \
	mpirun -np 2 ./doors.linked ring 5
ok "linked, a bad file" untraced bad 'bad.conf:1: expected'
run bad env TAPE_TRACE=nothing TAPE_REFERENCE=2 \
	mpirun -np 2 ./doors.linked ring 5
ok "linked, a reference that is no rank" \
	untraced bad 'reference = 2: the job has only 2 ranks'

while read -r groups calls; do
	run g mpirun -np 2 taperun -s groups="$groups" -o "g$groups" \
		./doors ring 5
	ok "groups = $groups" traced g "g$groups.tape" \
		"$(xargs -n 2 <<<"$calls MPI_Init 2 MPI_Finalize 2" |
			sort | paste -sd' ')"
done <<'END'
none
collective MPI_Allreduce 10
communicator,completion MPI_Comm_dup 10 MPI_Comm_free 10 MPI_Comm_rank 2 MPI_Comm_size 2 MPI_Waitall 10
-p2p,-communicator MPI_Allreduce 10 MPI_Iprobe 10 MPI_Type_size 10 MPI_Waitall 10
END

# arrived_in TRACE: the distinct values of the field, 0 and 1 taken together
arrived_in()
{
	tapedump "$1" | sed 's/ ;.*//' | grep -o 'arrived=[0-9]' | sort -u |
		sed 's/[01]$/known/' | sort -u | paste -sd' '
}
run a mpirun -np 2 taperun -s arrived=off -o unasked ./doors ring 5
ok "arrived = off" traced a unasked.tape
ok "arrived = off: nobody asked" equal "$(arrived_in unasked.tape)" arrived=2
ok "arrived = on: asked" equal "$(arrived_in doors.tape)" arrived=known

run m mpirun -np 2 taperun -s alpha=measured -o measured ./doors ring 5
ok "alpha = measured" traced m measured.tape
# each event but the last carries its own cost
measured()
{
	holds '^alpha measured$' measured.tape/meta &&
		equal "$(tapedump measured.tape | grep -E '\+[0-9]+ MPI_' |
			grep -v MPI_Finalize | sed 's/ ;.*//' |
			grep -vc ' alpha=')" 0
}
ok "alpha = measured: each event says what it cost" measured
run raw mpirun -np 2 taperun -s clock=monotonic_raw -o raw ./doors ring 5
ok "clock = monotonic_raw" traced raw raw.tape
ok "clock = monotonic_raw: meta says so" \
	holds '^domain 0 monotonic_raw:' raw.tape/meta

# ---- size ----

run mplain mpirun -np 2 ./doors many 150000
many()
{
	alike mplain "$1" && equal "$(cat mplain.err)$(cat "$1.err")" "" &&
		equal "$(events "$1.tape" 0 MPI_Sendrecv) $(
			events "$1.tape" 1 MPI_Sendrecv)" "150000 150000" &&
		in_order "$1.tape"
}
run w1 mpirun -np 2 taperun -s window=1 -o w1 ./doors many 150000
ok "window = 1: it moves, nothing is lost" many w1
moved() { [ "$(stat -c %s w1.tape/flow.0.0)" -gt $((1 << 20)) ]; }
ok "window = 1: it did move" moved
run wm mpirun -np 2 taperun -s window=1 -s alpha=measured -o wm \
	./doors many 150000
ok "window = 1, alpha = measured" many wm

# What is missing plus what is there is all: the 150000, and Init, Finalize,
# Comm_rank and Comm_size.
limited()
{
	local r line n lost marks

	alike mplain "$1" && equal "$(grep -c '^tape: ' "$1.err")" 2 || return
	for r in 0 1; do
		line=$(grep "^tape: rank $r: tracing stopped after" "$1.err")
		n=$(sed 's/.* after \([0-9]*\) events because .*/\1/' <<<"$line")
		lost=$(sed 's/.*; \([0-9]*\) later calls.*/\1/' <<<"$line")
		marks=$(tapedump "$1.tape" 2>/dev/null | awk -v r=$r '
			/^flow/ { on = $2 == r } on && $3 == "processor"' | wc -l)
		equal "$(events "$1.tape" $r)" $((n - marks)) &&
			equal "$(end_of "$1.tape" $r)" "limit $lost" &&
			equal $((n - marks + lost)) 150004 &&
			[ "$(stat -c %s "$1.tape/flow.$r.0")" -le $((1 << 20)) ] ||
			return
	done
	holds 'because max_size was reached' "$1.err"
}
run max mpirun -np 2 taperun -s window=1 -s max_size=1 -o max ./doors many 150000
ok "max_size = 1: the first MiB, and what is missing is said" limited max
run maxw mpirun -np 2 taperun -s max_size=1 -o maxw ./doors many 150000
ok "max_size smaller than the window" limited maxw

# What MPI_Finalize calls back is a part of it.
run bye mpirun -np 1 ./doors farewell
run farewell mpirun -np 1 taperun -o bye ./doors farewell
ok "what MPI_Finalize calls back: results" alike bye farewell
ok "what MPI_Finalize calls back is not recorded" equal "$(tally bye.tape)" \
	"MPI_Comm_create_keyval 1 MPI_Comm_rank 1 MPI_Comm_set_attr 1 MPI_Comm_size 1 MPI_Finalize 1 MPI_Init 1 MPI_Type_size 1"

# ---- tape.h ----

marks="MPI_Barrier 86 MPI_Comm_rank 2 MPI_Comm_size 2 MPI_Finalize 2 MPI_Init 2 enter 6 leave 6 off 6 on 6"
run mark mpirun -np 2 ./doors marks
run marks mpirun -np 2 taperun -o marks ./doors marks
ok "regions, tape_off, tape_on, levels: results" alike mark marks
ok "regions, tape_off, tape_on, levels" equal "$(tally marks.tape)" "$marks"
nested()
{
	equal "$(tapedump marks.tape | awk '
		$1 == "flow" { mine = $2 == 1 }
		mine && ($3 == "enter" || $3 == "leave") { print $3, $4 }' |
		paste -sd' ')" "enter region=1 enter region=2 leave region=2 leave region=1 enter region=3 leave region=3" &&
		equal "$(grep ^region marks.tape/rank.1 | paste -sd' ')" \
			"region 1 outer region 2 inner region 3 MPI_Pcontrol%202"
}
ok "regions nest and have their names" nested
run nomarks mpirun -np 2 taperun -s groups=-region -o nomarks ./doors marks
ok "groups = -region" equal "$(tally nomarks.tape)" \
	"MPI_Barrier 86 MPI_Comm_rank 2 MPI_Comm_size 2 MPI_Finalize 2 MPI_Init 2 off 6 on 6"
run marks_linked env TAPE_TRACE=lmarks mpirun -np 2 ./doors.linked marks
ok "the same, linked" equal "$(tally lmarks.tape)" "$marks"

# Beyond a depth of 256 regions are not recorded, neither end of them.
run many_deep mpirun -np 1 taperun -o depth ./doors deep 300
balanced()
{
	tapedump depth.tape | awk '
		$3 == "enter" { open[++n] = $4; entered++ }
		$3 == "leave" && $4 != open[n--] { bad++ }
		END { print entered + 0, n + 0, bad + 0 }'
}
ok "regions too deep: each leave fits its enter" equal "$(balanced)" "256 0 0"

# ---- threads ----

run pthreads mpirun -np 2 ./doors threads 3
run threads mpirun -np 2 taperun -o threads ./doors threads 3
ok "threads: results" alike pthreads threads
ok "threads: every call of each" equal "$(tally threads.tape)" \
	"MPI_Barrier 6 MPI_Comm_dup 6 MPI_Comm_rank 2 MPI_Comm_size 2 MPI_Finalize 2 MPI_Init_thread 2 MPI_Sendrecv 600 enter 6 leave 6"
# A thread may begin when another has ended, and go on with its flow.
flows()
{
	equal "$(tapedump threads.tape | awk '
		$1 == "flow" { thread = $3; flows[$2]++ }
		$2 ~ /^[+]/ && $3 == "thread" { begun[thread > 0]++ }
		thread && $3 == "MPI_Sendrecv" { n++ }
		$1 == "end" && $2 $3 != (thread ? "exit0" : "finalize0") {
			print "flow", thread, $0
		}
		END {
			for (r = 0; r < 2; r++)
				if (flows[r] < 2 || flows[r] > 4)
					print flows[r], "flows of rank", r
			print n, begun[0] + 0, begun[1]
		}')" "600 0 6"
}
ok "threads: in flows of their own, whole" flows
threads_tools()
{
	run tsba sba -o threads.sba.tape threads.tape
	run ttico tico -o threads.tico.tape threads.sba.tape
	equal "$(cat tsba.rc ttico.rc tsba.err ttico.err | paste -sd' ')" "0 0"
}
ok "threads: sba and tico take it" threads_tools

# ---- programs that are none, and how programs end ----

run none taperun ./no-such-program
ok "a missing program: 127" equal "$(cat none.rc) $(wc -l <none.err)" "127 1"
echo text >text
run none taperun ./text
ok "no program but a file: 126" equal "$(cat none.rc)" 126
run sh taperun sh -c 'cat; echo to >&2; exit 3' <<<x
ok "a program without MPI: untouched" \
	equal "$(cat sh.rc sh.out sh.err) $(ls -d sh*.tape 2>/dev/null)" "$(
		printf '3\nto') "
run sig taperun sh -c 'kill -TERM $$'
ok "ended by a signal: the same" equal "$(cat sig.rc)" 143
run single taperun -o single ./doors exit 7
ok "an MPI program without mpirun" equal "$(cat single.rc) $(
	tally single.tape |
		grep -c 'MPI_Comm_size 1 MPI_Finalize 1 MPI_Init 1')" "7 1"
for way in "exit 0" "exit 5" "signal 15" "signal 9"; do
	name=${way// /}
	# what mpirun says and when differs with the core that ends first
	run "p$name" mpirun -np 2 ./doors $way
	run "t$name" mpirun -np 2 taperun -o "$name" ./doors $way
	ok "$way: same status" equal "$(cat "t$name.rc")" "$(cat "p$name.rc")"
	ok "$way: same output" same_output "p$name" "t$name"
	ok "$way: no word from Tape" lacks '^tape: ' "t$name.err"
done
run v taperun -V
ok "-V" equal "$(cat v.rc)$(grep -c '^taperun [0-9.]*$' v.out)" 01
run h taperun -h
ok "-h" equal "$(cat h.rc)$(grep -c '^usage: taperun' h.out)" 01
finish
