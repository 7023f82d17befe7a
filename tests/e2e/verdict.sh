#!/bin/bash
# tapefit: the test of the communication model: many traces of a machine whose
# model is known, with noise; the simulated programs, whose times are exact; and
# the loaded network of Maillet's thesis (section 6.3.3) in simulated time.
# VERDICT_TRACES and VERDICT_SEED make a larger campaign, or another one.
# Truth: simulated traces whose model is known.
. "$(dirname "$0")/tap.bash"
need jq
seed=${VERDICT_SEED:-1} traces=${VERDICT_TRACES:-100}
echo "# seeds from $seed"

# ---- a machine with noise ----

# Rank 0 sends messages of four sizes, which rank 1 begins to receive up to two
# transits too late: half of them have arrived, and of those waited for the slow
# ones are more. Transit is 20 us + 0.5 ns/byte, its deviation a tenth of that;
# DC 2 +- 0.3 us. skewed: no message is faster than 9 tenths of the model. late:
# one receive of two begins within a tenth of when its message should arrive, and
# then waits for slow ones only. disturbed: one message of ten takes up to 100 us
# longer, as where a processor is taken away.
cat >"$work/noisy.awk" <<'EOF'
function gauss() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
function noise() { return skewed ? -log(1 - rand()) - 1 : gauss() }
function definitions(r) {
	print "rank " r "\n\ttape-rank 1\n\trank " r "\n\thost h" r "\n\tpid 1"
	print "\tdomain 0\n\tcomm 1 1 2 " r " world"
	print "\tsite 1 120 1 a.c main\n\tsite 2 124 2 a.c main"
}
BEGIN {
	srand(seed)
	print "meta\n\ttape-trace 1\n\tprogram noisy\n\tranks 2"
	print "\tbase global\n\tdomain 0 d h\n\tclock 0 0 0 1 0 0"
	print "\teager net 65536 measured"
	definitions(0); definitions(1)
	split("20 300 5000 40000", size, " ")
	for (i = 1; i <= n; i++) {
		bytes[i] = int(size[1 + i % 4] * (0.9 + 0.2 * rand()))
		s[i] = 200000 * i
		transit[i] = (20000 + 0.5 * bytes[i]) * (1 + 0.1 * noise())
		if (disturbed && rand() < 0.1)
			transit[i] += 100000 * rand()
		gap[i] = late ? rand() < 0.5 ? -1 : 0.9 + 0.2 * rand() : 3 * rand() - 1
		gap[i] *= 20000 + 0.5 * bytes[i]
	}
	print "flow 0 0"
	for (i = 1; i <= n; i++)
		print "\t" s[i] " +10 MPI_Send @1 peer=1 tag=1 bytes=" bytes[i] " comm=1"
	print "\tend finalize 0\nflow 1 0"
	for (i = 1; i <= n; i++) {
		sr = int(s[i] + gap[i])
		b = s[i] + transit[i]
		er = int((b > sr ? b : sr) + 2000 + 300 * noise() + 0.5)
		print "\t" sr " +" er - sr " MPI_Recv @2 peer=0 tag=1 comm=1" \
			" actual_peer=0 actual_tag=1 bytes=" bytes[i] " arrived=" (b <= sr)
	}
	print "\tend finalize 0"
}
EOF

# noisy SEED KIND MESSAGES: noisy.tape, of normal or other noise
noisy()
{
	rm -rf noisy.tape
	awk -v seed="$1" -v "$2=1" -v n="$3" -f noisy.awk >noisy.txt &&
		tapedump --assemble -o noisy.tape noisy.txt
}

# campaign KIND ARGUMENT...: how many of the traces tapefit rejects
campaign()
{
	local i kind=$1

	shift
	for ((i = 0; i < traces; i++)); do
		noisy $((seed + i)) "$kind" 600 &&
			tapefit -j "$@" noisy.tape || echo null
	done >all.json
	jq -s --arg n "$traces" 'if length == ($n | tonumber) and
		all(.decision != "undecided" and (.classes | length) > 3) then
		map(select(.decision == "reject")) | length else "failed" end' all.json
}

# 5 in 100 within what chance allows: 4 standard deviations
likely()
{
	echo "rejected: $1 of $traces"
	awk -v k="$1" -v n="$traces" 'BEGIN {
		d = k - 0.05 * n
		exit k !~ /^[0-9]+$/ || d * d > 16 * 0.05 * 0.95 * n }'
}

# model NS NS/BYTE [LIMIT]
model()
{
	printf "all %s 0 $1 $2\n" eager rendezvous
	[ -z "${3:-}" ] || echo "all limit $3"
}
model 20000 0.5 >true.model
model 22000 0.55 >off.model
model 1 0.1 >wrong.model
for kind in normal skewed late; do
	n=$(campaign $kind -m true.model)
	echo "# $kind: $n of $traces rejected"
	ok "$kind: a true model is rejected in 5% of traces" likely "$n"
	ok "$kind: half of the messages are tested, slow ones are not" \
		jq -es 'all(.messages | .tested > 250 and .late > 0 and
			.unknown + .fitted == 0)' all.json
	traces=20
	n=$(campaign $kind -m off.model)
	ok "$kind: a model off by a tenth is rejected" equal "$n" 20
	traces=${VERDICT_TRACES:-100}
done

for kind in normal skewed disturbed; do
	n=$(campaign $kind)
	echo "# $kind, fitted: $n of $traces rejected"
	ok "$kind: the fit of a half is accepted by the other in 90% of traces" \
		test "$((10 * ${n:-traces}))" -le "$traces"
	ok "$kind: and is near what that says" jq -es \
		'[.[].classes[] | select(.p) | .percent | fabs] | add / length < 3' all.json
done

# is FILTER: the last report says so
is() { jq -e "$1" verdict.json || { cat verdict.json; false; }; }

# verdict TRACE ARGUMENT...: verdict.json
verdict() { tapefit -j "${@:2}" "$1" >verdict.json; }

noisy "$seed" normal 4000
ok "a model fitted to one half of the messages" verdict noisy.tape
ok "is tested on the other half" is '.given == false and
	(.messages | .tested + .fitted > 2000 and
	 .tested - .fitted < 300 and .fitted - .tested < 300)'
ok "and found to be near what that says" is '.classes | length == 4 and
	all(.percent | . < 4 and . > -4)'
ok "the model is written" tapefit -o found.model noisy.tape
ok "with what the trace says of limits" holds '^net limit 65536$' found.model
ok "what it is a quantile of, too" holds '^net quantile 0.25$' found.model
ok "and tested on all messages" verdict noisy.tape -m found.model
# the fit errs by its own 256 messages of a class
ok "as what it is: near a quarter" is 'all(.classes[]; .quantile == 0.25 and
	.fitted == 0 and .share > 0.15 and .share < 0.35)'
grep -v quantile found.model >mean.model
ok "taken for a mean it is not" verdict noisy.tape -m mean.model
ok "and rejected" is '.decision == "reject"'
ok "again as it is" verdict noisy.tape -m found.model
ok "none is needed to fit it" is '.model.given and .messages.fitted == 0 and
	.messages.tested > 2000 and (.classes | length == 4)'
mv found.model before.model
(trap '' XFSZ; ulimit -f 0; tapefit -o found.model noisy.tape >/dev/full 2>err)
ok "a model that cannot be written: status 1, no file" equal \
	"$? $(ls found.model* 2>/dev/null)" "1 "
rm -f page.html
ok "rejected: still done, with status 0" tapefit -m wrong.model -g page.html \
	noisy.tape
cp .ok rejected.txt
ok "rejected: said in words" holds '^the model +reject  4 of 4' rejected.txt
ok "no trace is written" equal "$(echo ./*.tape)" ./noisy.tape
# two plots of all messages, one of each class
ok "a page with its plots" equal "$(grep -c '^</svg>' page.html)" 6
ok "it allows no scripts" holds "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src" page.html
ok "and nothing else that is loaded or run" \
	lacks '<script|<link|src=|href=|url\(' page.html
tapefit -m wrong.model -g none/page.html noisy.tape >out 2>err
ok "a page that cannot be written: status 1, its name" \
	equal "$? $(cat err)" \
	"1 tapefit: none/page.html: No such file or directory"
# of a page that there is no room for, nothing; the one before stays
cp page.html before.html
(trap '' XFSZ; ulimit -f 16
 tapefit -m wrong.model -g page.html noisy.tape >out 2>err)
ok "a full disk: status 1, its name" equal "$? $(cat err)" \
	"1 tapefit: page.html: File too large"
ok "and no half-written page" equal \
	"$(cmp page.html before.html && echo page.html*)" page.html
for wrong in "-c 0.1" "-sf" "-b 1"; do
	# shellcheck disable=SC2086 # a list of words
	tapefit $wrong noisy.tape >out 2>err
	ok "$wrong: wrong use, no verdict" equal "$? $(wc -c <out)" "2 0"
done

# ---- simulated programs, whose messages take exactly what the model says ----

des=$TAPE_BUILD/rig/des
for i in 0 1 2; do
	mkdir -p des && "$des" -n 1 -l 6000 -s $((seed + i)) \
		"$TAPE_BUILD/bin" des >/dev/null
	verdict des/run.tape -m des/run.model
	ok "program $((seed + i)): its model is exact where sends do not wait" \
		is '[.classes[] | select(.protocol == "eager" and .p)] |
		length > 1 and all(.mean_ns == 0 and .s_ns == 0 and
		.decision == "accept")'
	# who calls MPI_Recv needs up to 100 ns more for a rendezvous there
	ok "program $((seed + i)): but not where they do" \
		is '.decision == "reject" and ([.classes[] |
		select(.protocol == "rendezvous" and .p)] | length > 1 and
		all(.mean_ns > 0 and .mean_ns < 100 and .decision == "reject"))'
	awk '$2 ~ /eager|rendezvous/ { $4 += 2 } { print }' des/run.model \
		>des/off.model
	verdict des/run.tape -m des/off.model
	ok "program $((seed + i)): a model off by 2 ns is rejected" \
		is '[.classes[] | select(.protocol == "eager" and .p)] |
		all(.mean_ns == -2 and .decision == "reject")'
done

# ---- a loaded network ----

if ! command -v smpirun >/dev/null ||
	[ ! -x "$TAPE_BUILD/rig/smpi/transpose.traced" ]; then
	skip smpi "smpi smpicc is not installed, or was not at build time"
	finish
fi

# transpose NAME GRAIN SPREAD [MACHINE]: 20 steps on 8 ranks, 20000 to 60000
# bytes
transpose()
{
	RIG_ALPHA_NS=0 TAPE_TRACE=$1 "$TAPE_TOP/tests/rigs/smpi/run" \
		"$TAPE_BUILD" "${4:-shared}" 8 transpose.traced 1 20 "$2" 40000 "$3"
}

# What SimGrid 3.32 says of one message of this size on a machine of its own:
# 1 us of links times 3.48845, and 16 bytes more than there are at 0.697866 GB/s.
model 3511.4 1.432940 >platform.model
platform=(-m platform.model)
ok "transposition, spread in time: runs" transpose spread 100000000 1
ok "transposition, all messages at once: runs" transpose loaded 20000 0
verdict spread.tape "${platform[@]}"
ok "spread: the affine model is accepted" is '.decision == "accept" and
	.messages.tested > 300 and ([.classes[] | select(.p)] | length == 2)'
model 3511.4 1.5 >slower.model
verdict spread.tape -m slower.model
ok "spread: another one is not" is '.decision == "reject" and .rejected == 2'
verdict loaded.tape "${platform[@]}"
ok "all at once: the affine model is rejected" is '.decision == "reject" and
	.messages.tested > 100 and .rejected == 2'
ok "since messages take three times as long and more" \
	is '[.classes[] | select(.p)] | all(.percent > 67 and .t > 10)'
verdict loaded.tape -l "${platform[@]}"
ok "a model of shared links explains nine tenths of it" \
	is '[.classes[] | select(.p)] | all(.percent | fabs < 9)'
# the rest is what messages take of the way back
ok "transposition, nothing taken of the way back: runs" transpose oneway 20000 \
	0 oneway
verdict oneway.tape "${platform[@]}"
ok "one way: affine is far off" is '[.classes[] | select(.p)] |
	all(.percent > 67)'
printf 'net eager 0 3511.4 1.43294\nnet links 16\n' >oneway.model
verdict oneway.tape -m oneway.model
ok "one way: with shared links it is within 0.2%" is '[.classes[] | select(.p)] |
	length == 2 and all(.percent | fabs < 0.2)'
finish
