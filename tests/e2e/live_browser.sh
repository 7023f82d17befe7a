#!/bin/bash
# A run of a real program in a real browser, while it goes on and when it is over:
# what the page shows then is what tapestat says of the trace.
# Truth: a real browser; figures compared with tapestat, which sums.sh compares
#   with a truth.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc python3 jq
chrome=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$chrome" ]; then
	skip "in a browser" "chromium is not installed"
	finish
fi
build on live_slow.c
timeout 200 mpirun -np 4 taperun -s stream=node -o on ./on 2000 0 >on.out 2>on.err &
program=$!
later touch enough
timeout 200 tapelive --keep -i 0.2 --http --wait 100 on.tape >live.out 2>live.err &
pid=$!
address=
for _ in $(seq 400); do
	address=$(sed -n 's/^tapelive: live view: \(http[^ ]*\)$/\1/p' live.err)
	[ -z "$address" ] || break
	if grep -q 'without libmicrohttpd' live.err; then
		touch enough; wait
		skip "live page" "libmicrohttpd-dev was not there when Tape was built"
		finish
	fi
	sleep 0.05
done
text='.map(e => e.textContent).join("|")'
# the page is open from here to the end of the run
until_='new Promise(r => { const t = setInterval(() => { const p = document.querySelector("#p0");
	if (p && p.dataset.state === "STATE" && p.querySelectorAll(".waits td").length) {
		clearInterval(t); r(p.dataset.state) } }, 20) })'
number='Number(document.querySelector("#p0").dataset.number)'
figure='(name => document.querySelector(`#p0 .figure[data-name="${name}"] b`).textContent.replace(/\D/g, ""))'
(for _ in $(seq 400); do [ ! -s shown ] || break; sleep 0.05; done
# two snapshots later
sleep 1; touch enough) &
timeout 150 python3 "$TAPE_TOP/tests/rigs/browser.py" -s 1000x1300 "$address" "js:${until_/STATE/running}" \
	"js:[...document.querySelectorAll('#p0 .ranks th')]$text" \
	"js:[...document.querySelectorAll('#p0 .calls td.n')]$text" \
	"js:window.first = $number" png:running.png "js:${until_/STATE/over}" \
	"js:$number > window.first" "js:$figure('events')" "js:$figure('messages')" \
	"js:[...document.querySelectorAll('#p0 .waits td')].slice(0, 2)$text" \
	"js:document.documentElement.scrollWidth <= window.innerWidth" png:over.png >shown 2>complaints
touch enough
wait $pid
ok "tapelive ends well" equal "$?" 0
wait $program
ok "so does the program" equal "$?$(cat on.out on.err)" 0
line() { sed -n "$1p" shown; }
tapestat -j on.tape >stat.json
ok "the page shows a run that goes on" equal "$(line 1)" running
ok "its ranks" equal "$(line 2)" "rank 0|rank 1|rank 2|rank 3"
ok "its calls" equal "$(line 3 | tr '|' '\n' | grep -c '^MPI_\(Bcast\|Sendrecv\) live_slow.c:[12]')" 2
ok "snapshots go on to the end of the run" equal "$(line 5) $(line 6)" "over True"
ok "events are tapestat's" equal "$(line 7)" "$(jq .events stat.json)"
ok "so are messages" equal "$(line 8)" "$(jq '[.messages[].messages] | add' stat.json)"
ok "and who waits for whom" equal "$(line 9)" \
	"$(jq -r '.waits | max_by(.waiting_s) | "\(.rank)|\(.for_rank)"' stat.json)"
ok "nothing is wider than the window" equal "$(line 10)" True
ok "the page complains of nothing" test ! -s complaints
[ -z "${LIVE_PICTURES-}" ] || cp running.png over.png "$LIVE_PICTURES"
finish
