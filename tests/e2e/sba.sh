#!/bin/bash
# sba --messages and the rest, on traces of clocks whose readings are made from
# a formula: every date that sba gives is compared with the true one, and with
# the interval that it guarantees. No program is run.
# Truth: clocks made from a formula.
. "$(dirname "$0")/tap.bash"
command -v jq >/dev/null && command -v xmllint >/dev/null || {
	skip "sba with messages" "jq or xmllint is not installed"
	echo "1..$tests"
	exit 0
}
seed=7
delayed=0.03 # so many of the messages take milliseconds
slow=0       # those of the program take up to so many ns more than rounds do
echo "# seed $seed"

# trace NAME RANKS SECONDS SAMPLING BEND...: NAME.tape of so many ranks, each
# with its own clock: the Kth BEND, an awk expression in t (ns) or 0, is what
# that of rank K shows beyond the date. About every second each rank K > 0 and
# its neighbour K - 1 send each other a message of 250 ns and more, sometimes
# of milliseconds. SAMPLING: both, before, after or none, along the same chain.
# NAME.truth: rank, start, end of each event, true dates.
trace()
{
	local name=$1 ranks=$2 seconds=$3 sampling=$4 bends="" k=1

	shift 4
	for bend; do
		bends="$bends if (k == $k) return $bend;"
		k=$((k + 1))
	done
	awk -v ranks="$ranks" -v seconds="$seconds" -v sampling="$sampling" \
		-v truth="$name.truth" -v seed="$seed" -v delayed="$delayed" \
		-v slow="$slow" '
	function bend(k, t) { '"$bends"' return 0 }
	function shows(k, t) { return sprintf("%.0f", t + bend(k, t)) }
	function transit(  x) {
		x = 250 - 50 * log(1 - rand())
		return rand() < delayed ? x + 1e6 + 2e6 * rand() : x
	}
	function round(phase, k, t,  r, e) {
		r = t + transit()
		e = r + 30 + transit()
		printf "\tsample %s %d %s %s %s %s %d\n", phase, k,
			shows(k - 1, t), shows(k, r), shows(k, r + 30),
			shows(k - 1, e), k - 1
	}
	function phase(name, t,  i, k) {
		for (k = 1; k < ranks; k++)
			for (i = 0; i < 100; i++)
				round(name, k, t + k * 2e7 + i * 1e5)
	}
	function event(k, from, to, what,  s) {
		s = shows(k, from)
		lines[k] = lines[k] sprintf("\t%s +%.0f %s\n", s,
			shows(k, to) - s, what)
		printf "%d %.1f %.1f\n", k, from, to >truth
	}
	# the times at which ranks are busy are kept apart, for order
	function message(from, to, t,  d) {
		d = transit() + slow * rand()
		event(from, t, t + 100, "MPI_Send @1 peer=" to \
			" tag=7 bytes=100 comm=1")
		event(to, t - 500, t + d, "MPI_Recv @2 peer=" from \
			" tag=7 comm=1 actual_peer=" from \
			" actual_tag=7 bytes=100 arrived=0 probe=0")
	}
	BEGIN {
		srand(seed)
		print "meta\n\ttape-trace 1\n\tranks", ranks "\n\tbase local"
		for (k = 0; k < ranks; k++)
			printf "\tdomain %d c%d host%d\n", k, k, k
		print "clocks"
		end = seconds * 1e9 + 1e9
		if (sampling == "both" || sampling == "before")
			phase("before", 1e6)
		if (sampling == "both" || sampling == "after")
			phase("after", end)
		for (t = 5e8; t < end - 1e9; t += 1e9)
			for (k = 1; k < ranks; k++) {
				slot = 1e9 / (ranks - 1)
				message(k - 1, k, t + (k - 1) * slot + 1e6 + \
					rand() * (slot / 2 - 1e7))
				message(k, k - 1, t + (k - 0.5) * slot + 1e6 + \
					rand() * (slot / 2 - 1e7))
			}
		for (k = 0; k < ranks; k++) {
			print "rank", k "\n\ttape-rank 1\n\trank", k
			print "\thost host" k "\n\tpid 1\n\tdomain", k
			print "\tsite 1 120 14 x.c main"
			print "\tsite 2 124 20 x.c main"
			print "\tcomm 1 1", ranks, k, "MPI_COMM_WORLD"
		}
		for (k = 0; k < ranks; k++) {
			print "flow", k, 0
			printf "\tanchor %s %s 0\n", shows(k, 1e5),
				shows(k, 1e5)
			printf "\tanchor %s %s 0\n", shows(k, end + 5e8),
				shows(k, end + 5e8)
			printf "%s\tend finalize 0\n", lines[k]
		}
	}' >"$name.txt"
	tapedump --assemble -o "$name.tape" "$name.txt"
}

# The true dates against those of NAME.sba.tape: "DATES WORST OUTSIDE WIDTH",
# us; WIDTH: those of all clocks but the reference: half are no wider.
judge()
{
	tapedump -c -g "$1.sba.tape" | awk -F, -v truth="$1.truth" '
		function check(date, lo, hi, real,  e) {
			e = real - date
			n++
			worst = e > worst ? e : -e > worst ? -e : worst
			# the CSV and the readings are whole ns
			outside += (lo != "" && e < lo - 1) ||
				   (hi != "" && e > hi + 1)
			# those of the reference
			if (lo == 0 && hi == 0 && lo != "")
				return
			m++
			if (lo != "" && hi != "")
				wide[int((hi - lo) / 10)]++
		}
		BEGIN {
			while ((getline line <truth) > 0) {
				split(line, x, " ")
				start[x[1], many[x[1]] + 0] = x[2]
				end[x[1], many[x[1]]++] = x[3]
			}
		}
		NR == 1 {
			for (i = 1; i <= NF; i++)
				at[$i] = i
			next
		}
		{
			k = seen[$3]++
			check($1, $at["start_lo_ns"], $at["start_hi_ns"],
			      start[$3, k])
			check($2, $at["end_lo_ns"], $at["end_hi_ns"],
			      end[$3, k])
		}
		END {
			for (w = 0; sum < m / 2 && w < 2e7; w++)
				sum += wide[w]
			printf "%d %.3f %d %.3f\n", n, worst / 1e3, outside,
				sum < m / 2 ? -1 : w / 100
		}'
}

# correct NAME OPTION...: NAME.json, NAME.judged
correct()
{
	local name=$1

	shift
	rm -rf "$name.sba.tape"
	sba -j "$@" -o "$name.sba.tape" "$name.tape" >"$name.json" 2>"$name.err" &&
		judge "$name" >"$name.judged" && cat "$name.judged" &&
		equal "$(cat "$name.err")" ""
}

# within NAME ERROR WIDTH DATES: no date is worse, none is outside of its
# interval, half of the intervals are no wider; us
within()
{
	read -r n worst outside width <"$1.judged"
	echo "$n dates, worst $worst us, outside $outside, width $width us"
	awk -v n="$n" -v w="$worst" -v o="$outside" -v d="$width" -v most="$2" \
		-v wide="$3" -v dates="$4" 'BEGIN {
			exit !(n == dates && w <= most && !o && d > 0 &&
			       d <= wide) }'
}

# correct_as NAME OPTION...: gives the same map as before
correct_as()
{
	grep '^clock' "$1.sba.tape/meta" >"$1.map"
	correct "$@" && grep '^clock' "$1.sba.tape/meta" | cmp - "$1.map" &&
		[ -s "$1.map" ]
}

# is NAME FILTER: jq says true of its report
is() { jq -e "$2" "$1.json" || { cat "$1.json"; false; }; }

# ---- a clock that swings: 17.5 us every 17 min, for an hour ----

sine='(5e6 + 2e-5 * t + 17500 * sin(6.283185307 * t / 1.02e12 + 1))'
trace sine 2 3600 both "$sine"
ok "a clock that swings" correct sine --plot pictures
ok "... by no straight line, which is said" is sine \
	'.refuted > 1000 and
	(.verdict | test("offset is derived from messages"))'
ok "... to within 0.3 us, no date outside of its interval" \
	within sine 0.3 1.1 28800
ok "... no message before it was sent" is sine \
	'.violations_before > 1000 and .violations_after == 0 and
	.followed.violated_straight > 1000 and .followed.violated == 0 and
	.clocks[1].from == "before+after+messages"'
picture()
{
	xmllint --noout pictures/clock.1.svg &&
		holds 'viewBox="0 0' pictures/clock.1.svg &&
		holds '>time, s<' pictures/clock.1.svg &&
		holds 'minus a linear fit, us<' pictures/clock.1.svg &&
		holds 'class="band"' pictures/clock.1.svg &&
		holds 'class="upper"' pictures/clock.1.svg &&
		holds 'class="lower"' pictures/clock.1.svg &&
		holds 'class="round"' pictures/clock.1.svg &&
		lacks 'href|nan|inf' pictures/clock.1.svg &&
		equal "$(ls pictures)" clock.1.svg &&
		[ "$(wc -c <pictures/clock.1.svg)" -lt 400000 ]
}
ok "... and its picture" picture

# ---- a clock that counts in steps of 64 us ----

trace coarse 2 600 both 'int((t * 1.00002 + 5e9) / 64000) * 64000 - t'
for option in "" --messages; do
	ok "a clock of 64 us $option" correct coarse $option
	ok "... no date outside of its interval" within coarse 70 200 4800
done

# ---- even clocks of which few messages tell anything ----

delayed=0.9
few()
{
	for seed in 1 2 3 4 5 6 7 8; do
		trace few 3 30 "$1" '(2e9 + 3e-5 * t)' '(5e9 - 4e-5 * t)'
		correct few --messages && within few 1e5 1e5 480 || return
		rm -rf few*
	done
}
for sampling in both before after; do
	ok "nine of ten delayed, sampled $sampling: none outside" few $sampling
done
seed=7 delayed=0.03

# ---- even clocks: what samples alone can do ----

trace even 4 600 both '(5e6 + 2e-5 * t)' '(3e9 - 4e-5 * t)' '(7e8 + 1e-5 * t)'
ok "a chain of even clocks" correct even
ok "... to within 0.02 us, no date outside" within even 0.02 1.6 14400
ok "... the tree" is even '[.clocks[].by] == [null, 0, 1, 2] and
	.violations_after == 0 and .refuted == 0'
ok "... with messages" correct even --messages
ok "... no date outside" within even 0.1 1.5 14400

# ---- messages go along a chain, too ----

trace chain 3 1200 both "$sine" '(1e9 - 1e-5 * t + 9000 * sin(t / 1.1e11))'
ok "two bent clocks, one known by the other only" correct chain --messages
ok "... to within 0.2 us, no date outside" within chain 0.2 1.5 19200
ok "... no message before it was sent" is chain '.violations_after == 0 and
	.followed.violated == 0'

# ---- one end, or no samples at all ----

trace late 2 600 before '(5e6 + 2e-5 * t)'
ok "sampled before the run only" correct late
ok "... to within 0.3 us, no date outside" within late 0.3 1.5 4800
ok "... placed by messages, too" is late \
	'.clocks[1].from == "before+messages"'
# --messages says what is done anyway: no date is less certain than without
ok "... the same with --messages" correct_as late --messages

# In a short run its line is better than what slow messages tell, in a long one
# it is not: they contradict it.
slow=3e5
trace brief 2 6 before '(5e6 + 2e-5 * t)'
ok "sampled before a short run, with slow messages" correct brief --messages
ok "... to within 10 us, no date outside" within brief 10 400 48
trace long 2 600 before '(5e6 + 2e-5 * t)'
ok "sampled before a long run, with slow messages" correct long --messages
ok "... to within 40 us, no date outside" within long 40 400 4800
slow=0

trace never 2 600 none '(5e6 + 2e-5 * t)'
ok "not sampled, placed by messages" correct never --messages
ok "... to within 0.3 us, no date outside" within never 0.3 1.5 4800
ok "... is said" is never '.clocks[1].from == "messages" and
	(.clocks[1].diagnosis | test("only messages"))'

# ---- a clock that is set: nothing but its intervals can tell where ----

trace step 2 600 both '(5e6 + 2e-5 * t + (t > 2.5e11 ? 1e5 : 0))'
ok "a clock that is set by 0.1 ms" correct step --messages
ok "... no date outside" within step 1000 2 4800
ok "... no message before it was sent" is step '.violations_after == 0'
finish
