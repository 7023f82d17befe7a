#!/bin/bash
# Archives of OTF2 become traces. A trace goes there and back: what tapestat says
# of both is the same. An archive of another tracer: counts are otf2-print's.
# Truth: counts of otf2-print.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq
if ! command -v otf2tape >/dev/null || ! command -v otf2-print >/dev/null; then
	skip "import" "libopen-trace-format2-dev or otf2-tools is not installed"
	echo "1..$tests"
	exit 0
fi

# facts TRACE: of tapestat, what must be the same there and back. An archive
# does not say when MPI_Sendrecv's receive began, so waiting in it is not
# known; nor what is sent to nobody (MPI_PROC_NULL); nor how often a run of
# failed tests tested.
facts()
{
	tapestat -j "$1" 2>/dev/null | jq -r '.complete, .run_s, .messages_matched,
		.messages_unmatched, .hosts_number, (.names[] |
		select(.call | test("Test|probe") | not) |
		[.call, .calls, .total_s, if .call == "MPI_Sendrecv" then 0
			else .waiting_s, .bytes end] | @csv),
		(.calls[] | select(.call_site | test("Test|probe") | not) |
		[.call_site, .rank, .calls, .total_s] | @csv)'
}
# there_and_back NAME RANKS SOURCE ARG...
there_and_back()
{
	local name=$1 ranks=$2 source=$3

	shift 3
	mpicc -O1 -g -w -I"$TAPE_TOP/examples" -I"$TAPE_TOP/runtime" -o "$name" \
		"$source" -lm || { echo "Bail out! $source"; exit 1; }
	mpirun -np "$ranks" taperun -o "$name" "./$name" "$@" >/dev/null
	sba -o "$name.s.tape" "$name.tape" >/dev/null
	ok "$name: there" t2otf2 -o "$name.otf2" "$name.s.tape"
	ok "$name: and back" otf2tape "$name.otf2" -o "$name.back.tape"
	facts "$name.s.tape" >"$name.1"
	facts "$name.back.tape" >"$name.2"
	ok "$name: there are calls and messages" [ "$(wc -l <"$name.1")" -ge 10 ]
	ok "$name: calls, sites, times, messages, bytes, waits" same "$name.1" "$name.2"
	ok "$name: the same clock" equal "$(sed -n 's/^base //p' "$name.back.tape/meta")" \
		global
}
there_and_back jacobi 4 "$TAPE_TOP/examples/jacobi.c"
there_and_back fft2d 4 "$TAPE_TOP/examples/fft2d.c"
there_and_back workers 4 "$TAPE_TOP/examples/workers.c"
there_and_back requests 2 "$here/requests.c" many 50
there_and_back partial 2 "$here/requests.c" partial 50

# ---- counters ----
# From the first to the last value that otf2-print shows of each rank.
TAPE_COUNTERS="cpu minor_faults" mpirun -np 2 taperun -o cn ./jacobi >/dev/null
t2otf2 -o cn.otf2 cn.tape
ok "counters: read" otf2tape -o cn.back.tape cn.otf2
otf2-print cn.otf2/traces.otf2 | sed -n 's/^METRIC *\([01]\) .*INT64; \(-*[0-9]*\)).*INT64; \(-*[0-9]*\)).*/\1 \2 \3/p' |
	awk '!($1 in a) { a[$1] = $2; b[$1] = $3 } { c[$1] = $2; d[$1] = $3 }
	END { for (r = 0; r < 2; r++) print r, c[r] - a[r], d[r] - b[r] }' >cn.1
tapedump cn.back.tape | awk '$1 == "flow" { r = $2 }
	{ for (i = 1; i <= NF; i++) if ($i ~ /^count=/) {
		split(substr($i, 7), p, ":"); n[r, p[1]] += p[2] + p[3] } }
	END { for (r = 0; r < 2; r++) print r, n[r, 0] + 0, n[r, 1] + 0 }' >cn.2
ok "counters: sums" same cn.1 cn.2
ok "counters: there are some" holds "^1 [1-9][0-9]*" cn.2

# ---- what others write ----
# Times by hand: ticks of 10 ns, and rank 1's clock is 400 ticks ahead.
gcc -w -o import "$here/import.c" $(pkg-config --cflags --libs otf2)
ok "clock offsets, persistent: written" ./import
ok "clock offsets, persistent: read" otf2tape w.otf2
ok "clock offsets, persistent: the calls" equal "$(tapedump -c w.tape |
	awk -F, '$5 ~ /^MPI_/ { print $5 }' | sort | uniq -c | xargs)" \
	"2 MPI_Finalize 2 MPI_Ibarrier 2 MPI_Init 1 MPI_Irecv 1 MPI_Isend 1 MPI_Recv 1 MPI_Send 2 MPI_Startall 2 MPI_Waitall"
tapedump w.tape | awk '$3 == "MPI_Init" { print $1, $2 }' >init
ok "clock offsets: times" equal "$(xargs <init)" "11000 +1000 12000 +1000"
ok "persistent, outside of calls: messages" equal "$(tapedump --messages -c w.tape |
	awk -F, '/^matched/ { print $5, $12, $13 }' | xargs)" "13000 19000 64 18100 19100 32"
ok "clock offsets: one clock" equal "$(grep -E '^(base|domain)' w.tape/meta | xargs)" \
	"base global domain 0 OTF2 hostA"

# ---- damage ----
n=0 silent=0 crashed=0
for f in workers.otf2/traces.otf2 workers.otf2/traces.def workers.otf2/traces/*.evt; do
	for part in 0 3 17 50 97; do
		rm -rf cut.otf2 cut.tape
		cp -r workers.otf2 cut.otf2
		size=$(stat -c %s "$f")
		truncate -s $((size * part / 100)) "cut${f#workers}"
		timeout 60 otf2tape cut.otf2 >cut.out 2>cut.err
		rc=$?
		n=$((n + 1))
		[ $rc -eq 1 ] || crashed=$((crashed + 1))
		[ "$(grep -c '^otf2tape: cut.otf2/traces[./][^ ]*: ' cut.err)" -eq 1 ] &&
			[ "$(wc -l <cut.err)" -eq 1 ] && [ ! -e cut.tape ] ||
			{ silent=$((silent + 1)); sed 's/^/# /' cut.err; }
	done
done
ok "cut files ($n): status 1" equal $crashed 0
ok "cut files: one sentence each, and nothing is left" equal "$silent $(ls -d ./*.part* \
	2>/dev/null | wc -l)" "0 0"

# ---- another tracer ----
if ! command -v eztrace >/dev/null || ! eztrace_avail 2>/dev/null | grep -q '^openmpi'; then
	skip "EZTrace" "eztrace is not installed"
	finish
fi
# foreign NAME RANKS ARG...: the program's archive of EZTrace, compared with otf2-print
foreign()
{
	local name=$1 ranks=$2 lines

	shift 2
	mpirun -np "$ranks" eztrace -t openmpi "./$name" "$@" >/dev/null 2>ez.err
	ok "EZTrace, $name: it is read" otf2tape -o "$name.ez.tape" "${name}_trace"
	otf2-print "${name}_trace/eztrace_log.otf2" >"$name.txt" 2>/dev/null
	lines=$(grep -cE '^(ENTER|MPI_)' "$name.txt")
	ok "EZTrace, $name: there is something ($lines lines)" [ "$lines" -ge 30 ]
	ok "EZTrace, $name: calls" equal "$(tapedump -c "$name.ez.tape" 2>/dev/null |
		awk -F, '$5 ~ /^MPI_/ { print $5 }' | sort | uniq -c)" \
		"$(sed -n 's/^ENTER .*Region: "\(MPI_[^"]*\)".*/\1/p' "$name.txt" |
			sort | uniq -c)"
	ok "EZTrace, $name: each rank has a clock" equal \
		"$(grep -c ^domain "$name.ez.tape/meta")" "$ranks"
	ok "EZTrace, $name: sba relates them" sba -o "$name.ez.s.tape" "$name.ez.tape"
	tapedump --messages -c "$name.ez.s.tape" >messages 2>/dev/null
	ok "EZTrace, $name: messages" equal "$(grep -c ^matched messages)" \
		"$(grep -cE '^MPI_I?SEND  ' "$name.txt")"
}
foreign workers 3
foreign jacobi 3
foreign fft2d 4
finish
