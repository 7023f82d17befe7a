#!/bin/bash
# tico -T, the test of the communication model: many traces of a machine whose
# model is known, with noise; the simulated programs, whose times are exact; and
# the loaded network of Maillet's thesis (section 6.3.3) in simulated time.
# VERDICT_TRACES and VERDICT_SEED make a larger campaign, or another one.
. "$(dirname "$0")/tap.bash"
need jq
seed=${VERDICT_SEED:-1} traces=${VERDICT_TRACES:-100}
echo "# seeds from $seed"

# ---- a machine with noise ----

# Rank 0 sends messages of four sizes, which rank 1 begins to receive up to two
# transits too late: half of them have arrived, and of those waited for the slow
# ones are more. Transit is 20 us + 0.5 ns/byte, its deviation a tenth of that;
# DC 2 +- 0.3 us. skewed: no message is faster than 9 tenths of the model.
cat >"$work/noisy.awk" <<'EOF'
function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()) }
function noise() { return skewed ? -log(1 - rand()) - 1 : normal() }
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
		gap[i] = (20000 + 0.5 * bytes[i]) * (3 * rand() - 1)
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

# noisy SEED SKEWED MESSAGES: noisy.tape
noisy()
{
	rm -rf noisy.tape
	awk -v seed="$1" -v skewed="$2" -v n="$3" -f noisy.awk >noisy.txt &&
		tapedump -r -o noisy.tape noisy.txt
}

# campaign SKEWED ARGUMENT...: how many of the traces tico -T rejects
campaign()
{
	local i skewed=$1

	shift
	for ((i = 0; i < traces; i++)); do
		noisy $((seed + i)) "$skewed" 600 &&
			tico -T -j "$@" noisy.tape || echo null
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

for skewed in 0 1; do
	name=$([ $skewed = 1 ] && echo skewed || echo normal)
	n=$(campaign $skewed -b 20000 -t 0.5)
	echo "# $name noise: $n of $traces rejected"
	ok "$name noise: a true model is rejected in 5% of traces" likely "$n"
	ok "$name noise: a tenth of the messages and more is tested" \
		jq -es 'all(.messages.tested > 60)' all.json
done
finish
