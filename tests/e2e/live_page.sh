#!/bin/bash
# The live page, fed with given snapshots: a browser shows what they say; it
# listens on the loopback address only and answers GET with its token only; who is
# slow or dead holds nobody up.
# Truth: given snapshots; a real browser.
. "$(dirname "$0")/tap.bash"
need python3 curl
feed=$TAPE_BUILD/rig/live_feed
chrome=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
"$feed" </dev/null >out 2>err
if grep -q 'without libmicrohttpd' err; then
	skip "live page" "libmicrohttpd-dev was not there when Tape was built"
	finish
fi
hush() { "$@" 2>/dev/null; }
look() { timeout 120 python3 "$TAPE_TOP/tests/rigs/browser.py" "$@"; }
status() { curl -s -o body -w '%{http_code}' "$@"; }

# start OPTION...: a feed that is written to by say; $address
start()
{
	rm -f in address && mkfifo in
	"$feed" "$@" <in >address 2>err &
	pid=$!
	later hush kill "$pid"
	exec 7>in
	for _ in $(seq 200); do [ -s address ] && break; sleep 0.05; done
	address=$(cat address)
}
say() { printf '%s\n' "$*" >&7; }
stop() { exec 7>&-; wait "$pid"; }

# Of one program: 4 ranks, and names that would be markup.
snapshot() # NUMBER STATE
{
	echo "{\"program\":0,\"trace\":\"p.tape\",\"name\":\"<i>cg</i>\",\"state\":\"$2\",
	\"ended\":\"\",\"number\":$1,\"seen_s\":3,\"run_s\":2.5,\"ranks_number\":4,
	\"events\":1234567,\"messages\":400,\"bytes\":2048,\"events_per_s\":10500,
	\"messages_per_s\":40,\"bytes_per_s\":204.8,\"behind_s\":0.25,\"behind_bytes\":4096,
	\"comparable\":1,\"clock_s\":0.00002,\"tracing\":0.021,\"dropped\":0,
	\"computing\":0.4,\"mpi\":0.5,\"waiting\":0.3,
	\"now\":{\"computing\":0.1,\"mpi\":0.9,\"waiting\":0.6,\"tracing\":0},
	\"ranks\":[{\"rank\":0,\"computing\":0.5,\"mpi\":0.4,\"waiting\":0.1,\"tracing\":0,\"doing\":\"\"},
	{\"rank\":1,\"computing\":0.2,\"mpi\":0.8,\"waiting\":0.7,\"tracing\":0,\"doing\":\"MPI_Recv x.c:8\"}],
	\"waits\":[{\"rank\":1,\"for\":0,\"s\":1.25,\"n\":321,\"kind\":\"late sender\",
	\"call\":\"MPI_Recv </td><script>alert(1)</script>\"}],
	\"calls\":[{\"call\":\"MPI_Recv x.c:8\",\"calls\":400,\"s\":1.5,\"waiting_s\":1.25,\"bytes\":2048}],
	\"pairs\":[{\"from\":0,\"to\":1,\"messages\":400,\"bytes\":2048,\"late_s\":1.25}],\"regions\":[],
	\"plugins\":[{\"file\":\"/x/late.so\",\"status\":\"<b>2</b> are late\"},
	{\"file\":\"./quiet.so\",\"status\":\"\"}]}" |
		tr -d '\n'
}

# ---- what is shown ----

start
say "0 $(snapshot 7 running)"
if [ -z "$chrome" ]; then
	skip "in a browser" "chromium is not installed"
else
	text='.map(e => e.textContent).join("|")'
	shown='new Promise(r => { const t = setInterval(() => {
		if (document.querySelector("#p0[data-number=\"7\"]")) {
			clearInterval(t); r("shown") } }, 20) })'
	look "$address" "js:$shown" \
		"js:[...document.querySelectorAll('#p0 .name, #p0 .state')]$text" \
		"js:[...document.querySelectorAll('#p0 .figure b')]$text" \
		"js:[...document.querySelectorAll('#p0 .waits td')]$text" \
		"js:[...document.querySelectorAll('#p0 .calls td')]$text" \
		"js:[...document.querySelectorAll('#p0 .ranks td.n')]$text" \
		"js:[...document.querySelectorAll('#p0 .ranks tr:nth-child(2) .bar i')].map(e => e.style.width).join('|')" \
		"js:document.querySelector('#p0 .provisional').textContent" \
		"js:[...document.querySelectorAll('#p0 .plugins p')]$text" \
		>shown 2>complaints
	# thin blanks are between groups of digits
	sed -i 's/\xe2\x80\xaf/ /g; s/\xc2\xb5/u/g' shown
	cat >expected <<'END'
shown
<i>cg</i>|running
10 500|40|205 B|1 234 567|400|2048 B|250 ms|4096 B|2.1%
1|0|1.25 s|321|late sender|MPI_Recv </td><script>alert(1)</script>
MPI_Recv x.c:8|1.50 s|1.25 s|400|2048 B
computing|MPI_Recv x.c:8
20%|10%|70%|0%
Provisional, of the first 2.50 s; timestamps are certain within 20.0 us; calls and regions in progress are not included yet.
late.so: <b>2</b> are late
END
	ok "the page shows what the snapshot says" same expected shown
	ok "and complains of nothing" test ! -s complaints
fi

# ---- who may ask what ----

ok "the last snapshot, for programs" equal "$(curl -s "${address}snapshots" |
	python3 -c 'import json, sys
for s in json.load(sys.stdin): print(s["number"], s["name"])')" "7 <i>cg</i>"
host=${address#http://} host=${host%%/*} port=${host#*:}
ok "without its token: 403" equal "$(status "http://$host/")" 403
ok "with another one: 403" equal \
	"$(status "http://$host/$(printf '0%.0s' $(seq 32))/")" 403
ok "a token in part: 403" equal "$(status "${address:0:-3}/")" 403
ok "asked for by another name: 403" equal \
	"$(status -H 'Host: example.org' "$address")" 403
ok "POST: 405" equal "$(status -d x=1 "$address")" 405
ok "DELETE: 405" equal "$(status -X DELETE "${address}snapshots")" 405
ok "a file: 404" equal \
	"$(status --path-as-is "${address}../../../../../../etc/passwd")" 404
ok "and nothing of it" lacks root body
ok "other things: 404" equal "$(status "${address}events/x")" 404
curl -s -D headers -o body "$address"
ok "the page may load nothing from elsewhere" holds \
	"Content-Security-Policy: default-src 'none'" headers
ok "it names no other place" lacks '(src|href)=|https?://' \
	<(sed 's,http://www.w3.org/2000/svg,,' body)
hex=$(printf '%04X' "$port")
ok "it listens on 127.0.0.1" equal "$(cat /proc/net/tcp /proc/net/tcp6 \
	2>/dev/null | awk -v p=":$hex" '
	$4 == "0A" && index($2, p) == length($2) - 4 { print $2 }')" \
	"0100007F:$hex"

# ---- clients that do not take what they asked for ----

# what it sends ends when it ends: the last snapshot is always sent
curl -sN "${address}events" >good 7>&- &
good=$!
path=/${address#http://*/}
# 6 ask and never read, 6 never ask; 3 ask and are gone
cat >clients.py <<'END'
import socket, sys, time
all = []
for i in range(15):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    if i < 6 or i >= 12:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.sendall(b"GET " + sys.argv[2].encode() +
                  b" HTTP/1.1\r\nHost: localhost\r\n\r\n")
    all.append(s)
for s in all[12:]:
    s.close()
print("there", flush=True)
time.sleep(120)
END
python3 clients.py "$port" "${path}events" >clients 2>&1 7>&- &
clients=$!
later hush kill "$clients"
for _ in $(seq 200); do grep -q there clients && break; sleep 0.05; done
# more than all buffers between them hold
long=$(head -c 200000 /dev/zero | tr '\0' x)
for i in $(seq 60); do say "0 {\"number\":$i,\"x\":\"$long\"}"; done
say "0 {\"number\":61,\"state\":\"over\"}"
stop; rc=$?
ok "a feed ends, whoever does not listen" equal $rc 0
wait $good
ok "who listens has the last snapshot" equal \
	"$(grep '^data' good | tail -n 1)" 'data: {"number":61,"state":"over"}'
kill $clients

# ---- without a token; a port in use ----

start -n
say "0 {\"number\":1}"
say "5 {\"number\":2}"
ok "its address has no token" equal "${address%:*}" http://127.0.0.1
ok "the page" equal "$(status "$address")" 200
for _ in $(seq 100); do
	curl -s "${address}snapshots" >two
	grep -q '"number":2' two && break
	sleep 0.05
done
ok "two programs" equal "$(cat two)" '[{"number":1},{"number":2}]'
port=${address##*:}
"$feed" "${port%/}" </dev/null >out 2>err2
[ $? -eq 1 ] && grep -q 'port is in use' err2
ok "a port in use is said" equal $? 0
stop
finish
