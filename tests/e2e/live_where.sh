#!/bin/bash
# What tapelive says while a program runs: the call that each rank is in, what
# can never end, and the sentences of the report.
# Truth: the cases of where.c; what tapewhere says of the same files; tapestat of
#   the trace that is complete.
. "$(dirname "$0")/tap.bash"
. "$here/spools.bash"
need mpirun mpicc jq curl
build where where.c
if ! ldd "$TAPE_BUILD/bin/tapelive" | grep -q libmicrohttpd; then
	skip "live" "libmicrohttpd-dev was not there when Tape was built"
	finish
fi

job= live= address=
end_all()
{
	[ -z "$live" ] || kill -KILL "$live" 2>/dev/null
	[ -z "$job" ] || kill -KILL "$job" 2>/dev/null
}
later end_all

# follow TRACE [OPTION...]: tapelive follows it; sets address
follow()
{
	local i

	rm -f live.err # it has another address
	timeout 300 tapelive -i 0.2 --wait 100 --http "${@:2}" "$1" \
		>live.out 2>live.err &
	live=$!
	for ((i = 0; i < 1200; i++)); do
		address=$(sed -n 's/^tapelive: live view: //p' live.err 2>&-)
		[ -z "$address" ] || return 0
		sleep 0.1
	done
}

# Lines of tapewhere without the trace's name, and without times
timeless() { sed -E 's/(for|ended) [0-9.]+ (ns|us|ms|s|min|h)/\1 TIME/'; }
say_there() { tapewhere "$1.tape" 2>&1 | tail -n +2 | timeless; }
say_live()
{
	curl -s "${address}snapshots" >snapshots
	jq -r '.[0] | .stuck[]?, .where[]?' snapshots 2>/dev/null | timeless
}

# agree CASE TEXT: both say the same, and that text is in it
agree()
{
	local i there live_text

	for ((i = 0; i < 600; i++)); do
		there=$(say_there "$1")
		live_text=$(say_live)
		[[ $there == *"$2"* && $there == "$live_text" ]] && return 0
		sleep 0.1
	done
	printf '%s\n---\n%s\n' "$there" "$live_text"
	cat live.err
	return 1
}

# hangs CASE[-NAME] TEXT [OPTION...]; how: options of tapelive
hangs()
{
	local name=$1 text=$2 pid

	shift 2
	mpirun --bind-to none -np 4 taperun "$@" -o "$name" ./where "${name%-*}" \
		>"$name.out" 2>&1 </dev/null &
	job=$!
	follow "$name.tape" --line-every 0.2 ${how-}
	ok "$name: tapelive and tapewhere say the same" agree "$name" "$text"
	cp snapshots "$name.json"
	[ -z "${look-}" ] || "$look"
	kill -TERM "$live"
	wait "$live"
	live=
	cp live.err "$name.err"
	for pid in $(sed -n 's/^pid //p' "$name.tape"/rank.*); do
		kill -KILL "$pid" 2>/dev/null
	done
	sleep 0.2
	kill -KILL "$job" 2>/dev/null
	wait "$job" 2>/dev/null
	job=
}

chrome=$(command -v chromium || command -v chromium-browser ||
	command -v google-chrome)
# The page of the program that hangs
look_at_page()
{
	local until_='new Promise(r => { const t = setInterval(() => {
		const p = document.querySelector("#p0 .stuck p");
		if (p) { clearInterval(t); r(p.textContent) } }, 20) })'

	[ -n "$chrome" ] || return 0
	timeout 150 python3 "$TAPE_TOP/tests/rigs/browser.py" -s 1000x1300 \
		"$address" "js:$until_" \
		"js:document.querySelector('#p0 .ranks td.n').textContent" \
		>shown 2>complaints
}

deadlock="Deadlock: rank 0 waits for rank 1, which waits for rank 2, which waits"
deadlock+=" for rank 3, which waits for rank 0"
line=$(grep -n 'MPI_Recv(numbers, 1, MPI_INT, from' "$here/where.c" | cut -d: -f1)
look=look_at_page hangs ring "$deadlock"
ok "ring: the call of each rank, since when" equal "$(jq -r '.[0].ranks[] |
	"\(.doing) \(.for_s > 0)"' ring.json | sort -u)" \
	"MPI_Recv where.c:$line true"
ok "ring: and for whom" equal "$(jq -r '.[0].ranks[0].what' ring.json |
	timeless)" \
	"in MPI_Recv where.c:$line for TIME, for a message of rank 1 (tag 5)"
ok "ring: in the log" grep -qx "tapelive: where: $deadlock" ring.err
if [ -n "$chrome" ]; then
	ok "ring: on the page" equal "$(sed -n 1p shown)" "$deadlock"
	ok "ring: the call of rank 0 on the page" equal \
		"$(sed -n 2p shown | timeless)" \
		"in MPI_Recv where.c:$line for TIME, for a message of rank 1 (tag 5)"
	ok "the page complains of nothing" test ! -s complaints
else
	skip "ring: on the page" "chromium is not installed"
fi
hangs ring_of_requests "$deadlock"
hangs absent "Deadlock: rank 0 waits for rank 2, which waits for rank 0"
hangs wrong_root "Different collectives: rank 0 is in "
hangs wrong_tag "Rank 1 sent rank 0 1 message with tag 6 "
hangs left_alone "wait forever for rank 1, which "
hangs loop "3 ranks wait for rank 1, which is not in MPI"
# nothing is consumed: it is written for streaming, and there is all of it
hangs ring-streamed "$deadlock" -s stream=node
# several processes have the ranks, and one stores a window
how="--processes 2" hangs ring-two "$deadlock"
how="--processes 4" hangs ring_of_requests-four "$deadlock"
how="--processes 3" hangs absent-three \
	"Deadlock: rank 0 waits for rank 2, which waits for rank 0"
how="--processes 2" hangs wrong_root-two "Different collectives: rank 0 is in "
how="--processes 2" hangs wrong_tag-two "Rank 1 sent rank 0 1 message with tag 6 "
how="--processes 3" hangs loop-three "3 ranks wait for rank 1, which is not in MPI"
how="--window 0.001, -o ring.part.tape" hangs ring-window "$deadlock"
how="--processes 2 --window 0.001, -o ring.parts.tape" hangs ring-both "$deadlock"

# ---- streamed by MPI: a blocked rank sends nothing ----

timeout 300 mpirun --bind-to none -np 4 taperun -s stream=mpi ./where ring : \
	-np 1 tapelive --keep --spool "$work/spool" >mpi.out 2>mpi.err </dev/null &
job=$!
unknown="Ranks 0-3 have sent their calls up to MPI_Init where.c:$(grep -n \
	'MPI_Init(' "$here/where.c" | cut -d: -f1); call in progress: not known"
said_of_streamed()
{
	local i

	for ((i = 0; i < 1200; i++)); do
		tapewhere spool/where >mpi.where 2>&1
		grep -qxF "$unknown (the trace is streamed by MPI)" mpi.where &&
			return 0
		sleep 0.1
	done
	cat mpi.where mpi.err
	return 1
}
ok "streamed by MPI: no call is named, and why" said_of_streamed
ok "streamed by MPI: as JSON" equal "$(tapewhere -j spool/where |
	jq -r '.threads[].state' | sort -u)" unsent
kill -INT "$job"
sleep 0.5
kill -TERM "$job" 2>/dev/null
wait "$job"
job=

# ---- consumed ----

timeout -s INT 300 tape live -i 0.2 --line-every 0.2 mpirun --bind-to none \
	-np 4 ./where ring >consumed.out 2>consumed.err </dev/null &
job=$!
said_of_consumed()
{
	local i

	for ((i = 0; i < 1200; i++)); do
		grep -qx "tapelive: where: $deadlock" consumed.err && return 0
		sleep 0.1
	done
	cat consumed.err
	return 1
}
ok "tape live names the deadlock of a trace that it consumes" said_of_consumed
kill -INT "$job"
sleep 0.5
kill -TERM "$job"
wait "$job"
job=

# ---- the report ----

build slow live_slow.c
is_rank_1_blamed()
{
	grep -q -E '^Rank 1 caused .* of the (other )?waiting' said ||
		{ grep -q '^Waiting for a processor was ' said &&
			grep -q '^No cause is certain of the other waiting' said; } ||
		{ cat said; false; }
}
# answer_slow NAME [OPTION...]: what tapelive says of slow while it runs
answer_slow()
{
	local name=$1 i

	shift
	rm -f go enough
	# the program begins once everybody looks
	timeout 200 mpirun -np 3 sh -c 'until [ -e go ]; do sleep 0.1; done; exec "$@"' sh \
		taperun -s stream=node -o $name ./slow 5000 200 >$name.out 2>$name.err </dev/null &
	job=$!
	follow $name.tape --keep "$@"
	timeout 200 curl -sN "${address}events" >events &
	events=$!
	for ((i = 0; i < 600; i++)); do
		[ ! -s events ] || break
		sleep 0.1
	done
	touch go # it goes on until there is an answer
	for ((i = 0; i < 1200; i++)); do
		grep -q '"state":"running".*"answer":' events && break
		sleep 0.1
	done
	touch enough
	wait "$job"
	job=
	wait "$live"
	ok "$name: tapelive ends well" equal "$?" 0
	live=
	wait "$events"
	tapestat $name.tape >$name.txt
	tapestat -j $name.tape >$name.json
	sed -n 's/^data: *//p' events | jq -c 'select(.answer)' >answers
	tail -n 1 answers | jq -r '.answer[]' >said
	ok "$name: the last answer has several sentences" \
		test "$(wc -l <said)" -ge 4
	ok "$name: each is a line of tapestat's report" \
		equal "$(without_ideal <said | grep -vxFf <(without_ideal <$name.txt))" ""
	ok "$name: rank 1 is the cause, or none is certain beside waits for processors" \
		is_rank_1_blamed
	ok "$name: answers come while it runs" test "$(jq -r 'select(.state ==
		"running") | .answer[0]' answers | wc -l)" -ge 1
	ok "$name: with the efficiency of the last interval" equal "$(jq -r \
		'.efficiency_now | keys | length' answers | sort -u)" 7
}
later touch enough
answer_slow slow
ok "the efficiencies are tapestat's" equal \
	"$(tail -n 1 answers | jq -S .efficiency)" "$(jq -S .efficiency slow.json)"
answer_slow slow-two --processes 2
answer_slow slow-window --window 0.001, -o slow.part.tape
ok "the window has what tapecut has" same \
	<(tapedump slow.part.tape | grep -v '^.history') \
	<(tapecut -o slow.cut.tape -w 0.001, slow-window.tape 2>/dev/null >&2
		tapedump slow.cut.tape | grep -v '^.history')
answer_slow slow-both --processes 3 --window 0.001, -o slow.parts.tape
ok "by three processes, too" same \
	<(tapedump slow.parts.tape | grep -v '^.history') \
	<(tapecut -o slow.cuts.tape -w 0.001, slow-both.tape 2>/dev/null >&2
		tapedump slow.cuts.tape | grep -v '^.history')
finish
