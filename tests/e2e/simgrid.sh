#!/bin/bash
# Actions replayed by SimGrid, against what is known: dates by hand on a machine
# without contention; SimGrid's own replay of its own actions; and programs that
# SimGrid ran itself (tests/rigs/smpi), whose traces have exact dates.
# Truth: dates by hand; SimGrid's own replay.
. "$(dirname "$0")/smpi.bash"
replayer=$TAPE_BUILD/libexec/tape-replay
if [ ! -x "$replayer" ]; then
	skip simgrid "smpi SimGrid 3.32 was not there at build time"
	finish
fi

# machine NAME SETTINGS: the platform of the rig with them in it
machine()
{
	local props=

	for s in $2; do
		props+="<prop id=\"${s%%=*}\" value=\"${s#*=}\"/>"
	done
	sed "s|<platform [^>]*>|&<config id=\"General\">$props</config>|" \
		"$TAPE_TOP/tests/rigs/smpi/$1.xml" >"$1.xml"
}
machine free "network/weight-S=0 surf/precision=1e-13 smpi/bw-factor=0:1 \
	smpi/lat-factor=0:1 network/crosstraffic=no"
machine shared "network/weight-S=0 surf/precision=1e-13"

# actions RANK LINE...: the file of a rank
actions()
{
	local rank=$1

	shift
	for line in "$@"; do echo "$rank $line"; done >"job/rank.$rank"
}

# begin RANKS: a new job of so many ranks
begin()
{
	rm -rf job && mkdir job
	for ((i = 0; i < $1; i++)); do echo "h$i"; done >job/hosts
	for ((i = 0; i < $1; i++)); do echo "rank.$i"; done >job/ranks
}

# replayed MACHINE [LATENCY BANDWIDTH]: dates.RANK of the job
replayed()
{
	rm -f job/dates.*
	"$replayer" --log=root.thresh:warning "$1.xml" job "${@:2}" 2>messages ||
		{ cat messages; false; }
}

# dates RANK LINE: when that action began and ended, ns
dates() { od -An -v -td8 -w16 "job/dates.$1" | sed -n "$2p"; }

# ends RANK: when its actions ended, ns, in one line
ends() { od -An -v -td8 -w16 "job/dates.$1" | awk '{ printf "%s ", $2 }'; }

# is_at RANK NS...: its actions ended then
is_at()
{
	[ "$(ends "$1")" = "${*:2} " ] || { ends "$1"; false; }
}

# ---- by hand: 1 us and 1 ns a byte, of which each message has 16 more ----

ok "hosts are those of the platform, as declared" \
	test "$("$replayer" --log=root.thresh:error --hosts free.xml |
		head -n 3 | tr '\n' ' ')" = \
	"h0 h1 h2 "

begin 2
actions 0 init "compute 1000" "send 1 7 984 6" "recv 1 7 984 6" \
	"isend 1 8 99984 6" "wait 0 1 8" "ssend 1 9 984 6" \
	"isend 1 4 1 6" "issend 1 5 1 6 1" "waits 1 0 1 4" "end 1" \
	"sleep 0.5" finalize
actions 1 init "recv 0 7 984 6" "send 0 7 984 6" "probe 0 8" \
	"irecv 0 8 99984 6" "waits 1 0 1 8" "compute 100000" "recv 0 9 984 6" \
	"pack 1e3" "recv 0 4 1 6" "recv 0 5 1 6" finalize
ok "two ranks: messages replay" replayed free
ok "sender" is_at 0 0 1000 1000 5000 5000 106000 208000 208000 208000 208000 \
	210034 500210034 500210034
ok "receiver" is_at 1 0 3000 3000 106000 106000 106000 206000 208000 209000 \
	209017 210034 210034

# A message without content takes 1016 ns, one of 984 bytes 2000. In an exchange
# each has to wait for the other one's.
begin 4
lines=()
kinds=("bcast 984 0 6" "gather 984 984 0 6 6" "scatter 984 984 0 6 6"
	"allreduce 123 0 0" "reduce 984 0 0 6" "allgather 984 984 6 6"
	"alltoall 984 984 6 6" "scan 984 0 6" "gatherv 984 1968 0"
	"scatterv 1968 984 0" "allgatherv 984 1968" "alltoallv 1968 1968"
	"reduce_scatter 1968 984")
for kind in "${kinds[@]}"; do lines+=("on 1 $kind" "compute 300"); done
for ((r = 0; r < 4; r++)); do
	# the keys turn them round; SMPI looks who shares a host in the first
	# broadcast
	actions $r init "comm 1 0 $((r % 2)) $((-r))" "on 1 bcast 984 0 6" \
		"${lines[@]}" "begin 1 1 barrier" "end 1" "comm_free 1" \
		"comm 5 5 0 0 $((r % 2 + 2)) $((r % 2))" "compute $((9 * r))" \
		"on 5 alltoall 984 984 6 6" finalize
done
ok "communicators: replayed" replayed free
# compared NAME LINE RANK RANK PROGRAM: what awk says of the dates s and r of two
compared()
{
	ok "$1" awk -v s="$(dates $3 $2)" -v r="$(dates $4 $2)" '
		function max(a, b) { return a > b ? a : b }
		BEGIN { split(s, S); split(r, R); print s, r; exit !('"$5"') }'
}
message()
{
	compared "$@" 'S[2] == S[1] && R[2] == max(R[1], S[1] + 2000)'
}
exchange()
{
	compared "$@" 'S[2] == max(S[1], R[1] + 2000) &&
		R[2] == max(R[1], S[1] + 2000)'
}
line=4
for kind in "${kinds[@]}"; do
	case ${kind%% *} in
	bcast | scatter | scatterv | scan) message "$kind" $line 2 0 ;;
	gather | gatherv | reduce) message "$kind" $line 0 2 ;;
	*) exchange "$kind" $line 3 1 ;;
	esac
	line=$((line + 2))
done
exchange "a communicator that its members make" $((line + 5)) 3 1

begin 2
for r in 0 1; do
	lines=(init "win 3 0 8" barrier "fence 3" "put 3 $((1 - r)) 984"
		"fence 3" "get 3 $((1 - r)) 984" "fence 3"
		"accumulate 3 $((1 - r)) 984 0" "fence 3")
	[ $r = 0 ] && lines+=("lock 3 1 1" "put 3 1 984" "unlock 3 1"
		"lock 3 -1 0" "put 3 1 984" "flush 3 -1" "unlock 3 -1"
		"start 3 1" "put 3 1 984" "complete 3")
	[ $r = 1 ] && lines+=("post 3 0" "wait_win 3")
	actions $r "${lines[@]}" "win_free 3" finalize
done
ok "windows: replayed" replayed free
at=$(ends 0 | cut -d' ' -f3) # both leave the barrier then
after() { for ns; do at=$((at + ns)); printf '%d ' $at; done; }
# a fence is two barriers, and between them what is under way ends
ok "origin" test "$(ends 0 | cut -d' ' -f4-)" = "$(after 2032 0 3016 0 3016 \
	2000 2032  0 0 2000  0 0 2000 0  0 0 0  3016 0)"
ok "target" test "$(ends 1 | cut -d' ' -f4-)" = "$(after 2032 0 3016 0 3016 \
	2000 2032  0 6000 2032 0)"

# ---- the same, the network slower ----

for r in 0 1; do sed -i '/compute\|sleep/d' job/rank.$r; done
once=$(ends 0)
ok "half the network: replayed" replayed free 2 0.5
ok "half the network: twice the time" test "$(ends 0)" = \
	"$(for ns in $once; do printf '%d ' $((2 * ns)); done)"

# ---- what cannot be ----

# refused NAME SENTENCE: the job fails, with that in one line
refused()
{
	ok "$1" says "$2"
}
says()
{
	! replayed free && [ "$(grep -c '^!' messages)" = 1 ] &&
		grep -qF -- "$1" messages
}
begin 2
actions 0 init "recv 1 3 100 6" finalize
actions 1 init "send 0 4 1 6" finalize
refused "a message that never comes" \
	"deadlock: rank 0, line 2: '0 recv 1 3 100 6' never ends"
actions 0 init "dance 1" finalize
refused "no action" "rank 0, line 2: '0 dance 1' is no action"
actions 0 init "send 2 3 100 6" finalize
refused "no rank" "has a number that cannot be: 2"
actions 0 init "on 4 barrier" finalize
refused "no communicator" "names a communicator that this rank is not in"
actions 0 init "wait 0 1 1" finalize
refused "no request" "waits for no request"
echo h99999 >>job/hosts
refused "no host" "the platform has no host h99999"

# ---- programs ----

# simulate MACHINE RANKS PROGRAM: PROGRAM.tape, with the dates as they were
simulate()
{
	rm -rf "$3.tape" "$3.ti"
	RIG_ALPHA_NS=0 TAPE_TRACE=$3 "$TAPE_TOP/tests/rigs/smpi/run" \
		"$TAPE_BUILD" "$1" "$2" "$3.traced" "$seed" 6 20000 1024 2 \
		>/dev/null
}

# as_run MACHINE RANKS PROGRAM: the prediction is what the program took
as_run()
{
	simulate "$@" && tapesim -j --engine simgrid --platform "$1.xml" \
		"$3.tape" >"$3.json" &&
		is "$3" '.predicted_ns > 0 and
		((.predicted_ns - .measured_ns) / .measured_ns | fabs) < 1e-6'
}

# as_stock RANKS PROGRAM: SimGrid's own replay takes as long, to its 6 digits
as_stock()
{
	t2ti -o "$2.ti" "$2.tape" >/dev/null &&
		(cd "$2.ti" && for ((i = 0; i < $1; i++)); do
			echo "h$i" >>hosts; echo "$PWD/rank.$i" >>list; done) &&
		smpirun -np "$1" -no-privatize -replay "$2.ti/list" \
			-platform shared.xml -hostfile "$2.ti/hosts" \
			--cfg=smpi/host-speed:1Gf --cfg=smpi/coll-selector:ompi \
			--cfg=smpi/async-small-thresh:65536 2>&1 |
			sed -n 's/.*Simulation time //p' >stock &&
		rm -rf job && cp -r "$2.ti" job && replayed shared &&
		for ((i = 0; i < $1; i++)); do ends "$i"; echo; done | awk '
			$NF > last { last = $NF }
			END { printf "%f\n", last / 1e9 }' | diff - stock
}

for n in 4 16; do
	for program in ring stencil cg fft tiles collectives transpose workers; do
		for where in free shared; do
			ok "$program, $n ranks, $where: as it was run" \
				as_run $where $n $program
		done
		case $program in fft | transpose)
			ok "$program, $n ranks: as SimGrid's own replay" \
				as_stock $n $program ;;
		esac
	done
done

simulate shared 16 ring
ok "too few hosts: a sentence" eval '! tapesim --engine simgrid \
	--platform shared.xml --map 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,999 \
	ring.tape 2>messages && grep -q "rank 15 is mapped to host 999" messages &&
	[ "$(wc -l <messages)" = 1 ]'
echo nothing >nothing.xml
# the same hosts, by name and by number
order=(3 1 15 0 2 4 6 8 10 12 14 5 7 9 11 13)
printf 'h%s # a comment\n\n' "${order[@]}" >by.name
predicted() { tapesim -j --platform shared.xml "$@" ring.tape | jq .rank_ns; }
ok "hosts by name" same <(predicted --hostfile by.name) \
	<(predicted --map "$(IFS=,; echo "${order[*]}")")
ok "to our own engine, too" same <(predicted --engine own --hostfile by.name) \
	<(predicted --engine own)
ok "equal names are one host" eval '[ "$(sed "s/h15/h3/" by.name |
	tee two | grep -cx "h3.*")" = 2 ] &&
	tapesim --engine own --platform shared.xml --hostfile two ring.tape |
	grep -q "16 ranks on 15 hosts"'
for wrong in "s/h13.*/h999/:rank 15 is mapped to h999, which is not a host" \
	"/h13/d:by.wrong. it names 15 hosts for 16 ranks" \
	"s/h13/h1 &/:by.wrong.31. more than the name of a host"; do
	sed "${wrong%%:*}" by.name >by.wrong
	ok "hosts: ${wrong#*:}" eval '! tapesim --platform shared.xml \
		--hostfile by.wrong ring.tape 2>messages &&
		grep -q "${wrong#*:}" messages && [ "$(wc -l <messages)" = 1 ]'
done
ok "no platform: a sentence" eval '! tapesim --engine simgrid \
	--platform nothing.xml ring.tape 2>messages &&
	grep -q "nothing.xml: Parse error" messages &&
	[ "$(wc -l <messages)" = 1 ]'
mkdir tmp
ok "nothing is left in TMPDIR" eval 'TMPDIR=$PWD/tmp tapesim --engine simgrid \
	--platform shared.xml ring.tape && ! TMPDIR=$PWD/tmp tapesim --engine \
	simgrid --platform shared.xml --collectives none ring.tape &&
	[ -z "$(ls tmp)" ]'
# 1 s of computation on the machine of the trace is 1e9 operations
ok "processors of twice the speed" eval 'tapesim -j --engine simgrid --platform \
	shared.xml --speed 2 ring.tape >ring.json &&
	is ring ".predicted_ns < .measured_ns and .predicted_ns * 2 > .measured_ns"'
finish
