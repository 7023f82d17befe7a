#!/bin/bash
# Constants are calibrated at the start and, those of what was used, at the end
# again; each has an interval. Nothing of it is an event, and the program does
# what it does without.
# Truth: the program without Tape; intervals against repeated measurements.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build prog calibration.c

# constants KEY FILE: their names, sorted
constants() { awk -v key="$1" '$1 == key { print $2 }' "$2" | sort; }
# Those of events: the interval encloses the cost, the bounds do, too.
sound()
{
	awk '$1 ~ /^alpha/ && $2 !~ /^(reading|ask|ask_wait)$/ {
		n++; cost = $3 + $4
		if (NF != 8 || $5 > cost + .2 || $6 < cost - .2 ||
		    $7 > cost + .2 || $8 < cost - .2 || $7 < 0 || !(cost >= 0))
			{ bad++; print }
	} END { print n " lines"; exit bad || n < 30 }' "$1"
}
again() # NAME RANK PRESENT ABSENT: calibrated again are these, and not those
{
	local one

	constants alpha_end "$1.tape/rank.$2" >again
	for one in $3; do holds "^$one$" again || return; done
	for one in $4; do lacks "^$one$" again || return; done
}
# calibrated_run NAME RANK PRESENT COMMAND...: a run whose calibration at the end,
# which takes no more than 2 ms, got as far as these; on a busy machine one of
# five
calibrated_run()
{
	local name=$1 rank=$2 present=$3

	shift 3
	for _ in 1 2 3 4 5; do
		rm -rf $name.tape
		run $name "$@"
		again $name $rank "$present" "" >again.log && break
	done
}
# pace lines with two times each
paces() { awk '$1 == "pace" { n++; if (!($2 > 0 && $3 > 0) || NF != 3) n = 9 }
	END { print n + 0 }' "$1"; }

for how in plain poll off kill none; do
	run bare.$how mpirun -np 2 ./prog $how
	case $how in
	plain) used="send local enter leave" ;;
	poll) used="poll iprobe send" ;;
	none) used=local ;;
	*) used= ;;
	esac
	calibrated_run $how 0 "$used" mpirun -np 2 taperun -o $how ./prog $how
	[ $how = kill ] || ok "$how: it runs as without Tape" alike bare.$how $how
done
for rank in 0 1; do
	ok "rank $rank: each constant has its interval" sound plain.tape/rank.$rank
done
ok "at the end, what rank 0 used" again plain 0 "send local enter leave" \
	"recv probe start icoll isend mprobe"
ok "and rank 1" again plain 1 "recv local there_recv enter" \
	"send probe start icoll isend"
ok "paces of both" equal \
	"$(paces plain.tape/rank.0) $(paces plain.tape/rank.1)" "2 2"
ok "no call of the calibration is an event" equal \
	"$(events plain.tape 0) $(events plain.tape 0 MPI_Send)" "103 100"
ok "the flows end in order" equal \
	"$(end_of plain.tape 0), $(end_of plain.tape 1)" \
	"finalize 0, finalize 0"
ok "nor are its marks" equal "$(tapedump plain.tape 2>/dev/null |
	awk '$3 ~ /^(enter|leave)$/ { n++ } END { print n }')" 402
ok "a run of failed probes before the end is an event" equal "$(events poll.tape 0 MPI_Iprobe)" 5
ok "and calibrated" again poll 0 "poll iprobe send" "recv"
ok "switched off at the end: not calibrated again" equal "$(constants alpha_end off.tape/rank.0 | wc -l)" 0
ok "no message: only local calls" again none 0 "local" "send recv poll wait coll enter"
ok "killed: the start's constants are there" equal \
	"$(constants alpha kill.tape/rank.1 | grep -cx send) $(
	constants alpha_end kill.tape/rank.1 | wc -l)" "1 0"

calibrated_run full 0 "wait done irecv send" \
	mpirun -np 2 taperun -o full ./prog full full.tape/flow.0.0
ok "a chunk that is almost full: as without Tape" equal \
	"$(cat full.rc full.err) $(sort -u full.out | paste -sd,)" "0 0,1"
ok "and calibrated" again full 0 "wait done irecv send" "recv"
ok "the flow ends in order" equal "$(end_of full.tape 0)" "finalize 0"

# More ranks than processors: as many calibrate as there are processors.
p=$(getconf _NPROCESSORS_CONF)
if [ "$p" -le 8 ]; then
	n=$((2 * p + 1))
	run many.bare mpirun -np $n ./prog none
	run many mpirun -np $n taperun -o many ./prog none
	ok "$n ranks on $p processors: as without Tape" alike many.bare many
	ok "those beyond $p have the figures of others" equal "$(
		grep -l ^calibrated_by many.tape/rank.* | wc -l)" $((n - p))
	given() # RANK BY: the same constants of the start
	{
		equal "$(sed -n 's/^calibrated_by //p' many.tape/rank.$1)" $2 &&
			diff <(grep '^alpha ' many.tape/rank.$1) \
				<(grep '^alpha ' many.tape/rank.$2) &&
			sound many.tape/rank.$1
	}
	ok "rank $((p + 1)) has those of rank 1" given $((p + 1)) $((1 % p))
	ok "rank $((n - 1)) has those of rank 0" given $((n - 1)) 0
	ok "each of them calibrates at the end" equal "$(
		grep -l '^alpha_end local' many.tape/rank.* | wc -l)" $n
else
	skip "many ranks" "$p processors"
fi

# The certificate covers both.
sba -o s.tape plain.tape >/dev/null 2>&1
width() { tico -j -o w.tape "$1" 2>/dev/null | sed 's/.*"max":\([0-9]*\).*/\1/'
	rm -rf w.tape; }
narrow=$(width s.tape)
sed -i '/^alpha_end send/!{/^alpha_end/d}
	s/^alpha_end send .*/alpha_end send 2000 300000 302000 303000 301900 302100/' \
	s.tape/rank.0
wide=$(width s.tape)
ok "another cost of sends at the end: a wider certificate" \
	[ "$wide" -gt $((narrow + 100 * 1000)) ]
tico -o c.tape s.tape >c.out 2>/dev/null
ok "and tico says so" holds "^calibration .* on rank 0 .* at the end" c.out
finish
