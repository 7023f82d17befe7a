#!/bin/bash
# The correction against simulated programs whose truth is known (tests/rigs/
# des.h), and tico's manners on traces that lack something.
# DES_PROGRAMS and DES_SEED make a larger campaign, or another one.
# Truth: simulated programs.
set -u
B=${TAPE_BUILD:?}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
count=0 failed=0

ok() { # ok STATUS WHAT
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then echo "ok $count - $2"
	else echo "not ok $count - $2"; failed=1; fi
}

printf '%s\n' "all limit 4096" "all eager 0 1000 1" "all rendezvous 0 1000 1" \
	>"$tmp/1000.model"
echo "all limit 1000000" >"$tmp/limit.model"

# tico ends in time, by itself, with one of the statuses given
# ends "STATUSES" TRACE [OPTIONS...]: the report is in $tmp/report
ends() {
	local rc
	rm -rf "$tmp/out.tape"
	timeout 60 "$B/bin/tico" -j -m "$tmp/1000.model" -o "$tmp/out.tape" \
		"${@:3}" "$2" >"$tmp/report" 2>"$tmp/errors"
	rc=$?
	case " $1 " in *" $rc "*) return 0 ;; esac
	echo "# tico ended with $rc: $(head -n 1 "$tmp/errors")"
	return 1
}

assemble() { # assemble TEXT TRACE
	rm -rf "$2"
	"$B/bin/tapedump" --assemble -o "$2" "$1" 2>/dev/null
}

# ---- the campaign ----

mkdir "$tmp/des"
seed=${DES_SEED:-1}
"$B/rig/des" -n "${DES_PROGRAMS:-100}" -s "$seed" "$B/bin" "$tmp/des" \
	>"$tmp/campaign"
"$B/rig/des" -f -n 30 -l 400 -s "$seed" "$B/bin" "$tmp/des" |
	grep -v '^#' >>"$tmp/campaign"
"$B/rig/des" -t -n "${DES_PROGRAMS:-50}" -s "$seed" "$B/bin" "$tmp/des" |
	grep -v '^#' >>"$tmp/campaign"
for rule in -sf -rsm94; do
	"$B/rig/des" -r "$rule" -n 20 -s "$seed" "$B/bin" "$tmp/des" |
		grep -v '^#' >>"$tmp/campaign"
done
# what is known to an interval only: costs, clocks; the last one is counted below
for blur in -c -k -ckw -w; do
	"$B/rig/des" $blur -n 50 -s "$seed" "$B/bin" "$tmp/des" |
		grep -v '^#' >>"$tmp/campaign"
done
# the factors of efficiency: short programs have few windows, of which T_ideal is
# not known
"$B/rig/des" -c -e -n 50 -l 30 -s "$seed" "$B/bin" "$tmp/des" |
	grep -v '^#' >>"$tmp/campaign"
grep '^#' "$tmp/campaign"
while read -r line; do
	ok "$([[ $line == ok* ]]; echo $?)" "${line#* - }"
done < <(grep -E '^(not )?ok ' "$tmp/campaign")
[ "$(grep -c 'wrong models' "$tmp/campaign")" -eq 2 ]; ok $? "the campaigns came to an end"

# ---- six distances ----

# left OPTIONS...: the share of the error that a fitted model leaves
left()
{
	"$B/rig/des" -f "$@" -n 30 -l 3000 -s "$seed" "$B/bin" "$tmp/des" |
		sed -n 's/^ok 1 .* \([0-9.]*\)% of the error is left.*/\1/p'
}
told=$(left -t) untold=$(left -u)
awk -v told="$told" -v untold="$untold" \
	'BEGIN { exit !(told != "" && 1.5 * told < untold) }'
ok $? "six distances: $told% of the error is left; if the trace does not say who is where, $untold%"

# ---- the same input gives the same bytes ----

"$B/rig/des" -n 1 -l 400 -s "$seed" "$B/bin" "$tmp/des" >/dev/null
cp "$tmp/des/run.txt" "$tmp/whole.txt"
ends 0 "$tmp/des/run.tape"
mv "$tmp/out.tape" "$tmp/first.tape"
mv "$tmp/report" "$tmp/first.report"
ends 0 "$tmp/des/run.tape" && diff -r "$tmp/first.tape" "$tmp/out.tape" &&
	cmp "$tmp/first.report" "$tmp/report"
ok $? "tico twice: the same bytes"

# ---- a result that is not certain enough ----

assemble "${TAPE_TOP:?}/tests/golden/tico/certain/run.txt" "$tmp/certain.tape"
rm -rf "$tmp/out.tape"
"$B/bin/tico" -m "$tmp/1000.model" --certain 0.5 -o "$tmp/out.tape" \
	"$tmp/certain.tape" >"$tmp/report" && [ -d "$tmp/out.tape" ]
ok $? "certain to half of the total time: done"
rm -rf "$tmp/out.tape"
"$B/bin/tico" -m "$tmp/1000.model" --certain 1e-9 -o "$tmp/out.tape" \
	"$tmp/certain.tape" >"$tmp/report" 2>"$tmp/errors"
[ $? -eq 1 ] && [ ! -e "$tmp/out.tape" ] && [ ! -s "$tmp/report" ] &&
	[ "$(wc -l <"$tmp/errors")" -eq 1 ] &&
	! compgen -G "$tmp/out.tape*" >/dev/null
ok $? "not certain to a billionth of it: refused, no output"

# ---- partners that are missing ----

# a rank that died in the middle, and one that left nothing
lines=$(sed -n '/^flow 1/,/^\tend/p' "$tmp/whole.txt" | wc -l)
for keep in $((lines / 2)) 1; do
	awk -v keep="$keep" '/^flow /{ n = 0; cut = /^flow 1/ }
		!cut || ++n <= keep' "$tmp/whole.txt" >"$tmp/cut.txt"
	assemble "$tmp/cut.txt" "$tmp/cut.tape" && ends 0 "$tmp/cut.tape" &&
		! grep -q '"let_go":0,' "$tmp/report"
	ok $? "rank 1 has $((keep - 1)) events: tico ends and counts them"
done

# ---- damage ----

# lines lost and numbers changed: what still is a trace is gone through
cat >"$tmp/damage.awk" <<'EOF'
BEGIN { srand(seed) }
/^flow / { events = 1 }
events && /^\t[0-9]/ {
	if (rand() < 0.01)
		next
	if (rand() < 0.03) {
		n = split($0, w, " ")
		k = 4 + int(rand() * (n - 3))
		if (k <= n && w[k] ~ /=[-0-9]/)
			sub(/=-?[0-9]+/, "=" int(rand() * 6 - 2), w[k])
		line = "\t" w[1]
		for (i = 2; i <= n; i++)
			line = line " " w[i]
		print line
		next
	}
}
{ print }
EOF
took=0 bad=0
for i in $(seq 400); do
	[ "$took" -lt 20 ] || break
	awk -v seed=$((seed + i)) -f "$tmp/damage.awk" "$tmp/whole.txt" \
		>"$tmp/bad.txt"
	assemble "$tmp/bad.txt" "$tmp/bad.tape" || continue
	took=$((took + 1))
	ends "0 1" "$tmp/bad.tape" || bad=$((bad + 1))
done
[ "$took" -eq 20 ] && [ "$bad" -eq 0 ]
ok $? "$took damaged traces: tico ends by itself"

# ---- what the model is learnt from ----

# Messages of 8 bytes, more than are looked at, then large ones; all are waited
# for and take 1000 ns and 1 ns a byte.
cat >"$tmp/sizes.awk" <<'EOF'
function definitions(r) {
	print "rank " r "\n\ttape-rank 1\n\trank " r "\n\thost h\n\tpid 1"
	print "\tdomain 0\n\tcomm 1 1 2 " r " world"
	print "\tsite 1 120 1 a.c main\n\tsite 2 124 2 a.c main"
}
function bytes(i) { return i > small ? 100000 : 8 }
BEGIN {
	print "meta\n\ttape-trace 1\n\tprogram sizes\n\tranks 2"
	print "\tbase global\n\tdomain 0 d h\n\tclock 0 0 0 1 0 0"
	definitions(0); definitions(1)
	print "flow 0 0"
	for (i = 1; i <= small + large; i++)
		printf "\t%.0f +10 MPI_Send @1 peer=1 tag=1 bytes=%d comm=1\n",
			i * 200000, bytes(i)
	print "\tend finalize 0\nflow 1 0"
	for (i = 1; i <= small + large; i++)
		printf "\t%.0f +%d MPI_Recv @2 peer=0 tag=1 comm=1" \
			" actual_peer=0 actual_tag=1 bytes=%d arrived=0\n",
			i * 200000 - 100, 1100 + bytes(i), bytes(i)
	print "\tend finalize 0"
}
EOF
# fits LARGE: line and number of messages of the model, after so many large ones
fits() {
	awk -v small=135000 -v large="$1" -f "$tmp/sizes.awk" >"$tmp/sizes.txt"
	assemble "$tmp/sizes.txt" "$tmp/sizes.tape"
	rm -rf "$tmp/out.tape"
	"$B/bin/tico" -j -m "$tmp/limit.model" -o "$tmp/out.tape" "$tmp/sizes.tape" |
		sed 's/.*"shm":{"beta_ns":\([0-9.]*\),"tau_ns":\([0-9.]*\),"messages":\([0-9]*\),.*/\1 \2 \3/' |
		awk '{ printf "%.3f %.3f %d\n", $1, $2, $3 }'
}
[ "$(fits 1000)" = "1000.000 1.000 136000" ]
ok $? "a thousand large messages at the end: learnt from the whole trace"
[[ $(fits 999) =~ ^1008.000\ 0.000\ 1[0-2][0-9]{4}$ ]]
ok $? "less than a thousand: learnt from the first events"

# ---- memory ----

# One rank sends all the time, the other does many other things between its
# receives: an order by number of events would have most messages in flight.
cat >"$tmp/stream.awk" <<'EOF'
function definitions(r, peer) {
	print "rank " r "\n\ttape-rank 1\n\trank " r "\n\thost h\n\tpid 1"
	print "\tdomain 0\n\tcomm 1 1 2 " r " world"
	print "\tsite 1 120 1 a.c main\n\tsite 2 124 2 a.c main"
	print "\tsite 3 106 3 a.c main"
}
BEGIN {
	print "meta\n\ttape-trace 1\n\tprogram stream\n\tranks 2"
	print "\tbase global\n\tdomain 0 d h\n\tclock 0 0 0 1 0 0"
	definitions(0); definitions(1)
	print "flow 0 0"
	for (i = 1; i <= n; i++)
		print "\t" i * 1000 " +10 MPI_Send @1 peer=1 tag=1 bytes=8" \
			" comm=1"
	print "\tend finalize 0\nflow 1 0"
	for (i = 1; i <= n; i++) {
		print "\t" i * 1000 + 500 " +9 MPI_Recv @2 peer=0 tag=1" \
			" comm=1 actual_peer=0 actual_tag=1 bytes=8 arrived=1"
		for (k = 1; k <= 4; k++)
			print "\t" i * 1000 + 500 + 20 * k \
				" +9 MPI_Type_size @3"
	}
	print "\tend finalize 0"
}
EOF
if grep -q __asan_init "$B/bin/tico"; then
	count=$((count + 1))
	echo "ok $count - # SKIP the sanitizer's memory has no bound"
else
	awk -v n=200000 -f "$tmp/stream.awk" >"$tmp/stream.txt"
	assemble "$tmp/stream.txt" "$tmp/stream.tape" &&
		(ulimit -v 18000; ends 0 "$tmp/stream.tape" -n 1)
	ok $? "a million events in 18 MB, libraries among them"
	(ulimit -v 31000; ends 0 "$tmp/stream.tape" -n 2)
	ok $? "by two threads in 31 MB"
fi
echo "1..$count"
exit $failed
