# Sourced by the tests of planted faults (answers*.sh) after tap.bash: is the
# cause that a report names the one that was planted? The truth is in files
# NAME.truth, a line for each cause (answers.h), the report in NAME.json.

sources=("$here"/answers*.{c,cc,f90,py})

# line MARK: where the comment with that mark stands, "answers.c:8"
line()
{
	grep -HnE "(/\*|!|#) $1( \*/)?$" "${sources[@]}" |
		sed 's/.*\/\([^/]*:[0-9]*\):.*/\1/'
}

# The cause of that number, from 0, is a line of the truth: ranks, call, and no
# more waiting than 1% above; at most 6% less, since what is computed before the
# first call of a loop comes after another call. RANKS: a list, "odd", "even",
# "all", or "in:LIST", some of these.
is_true()
{
	local name=$1 number=$2 mark=$3 ranks=$4 seconds=$5

	jq -e --argjson i "$number" --arg ranks "$ranks" \
		--arg line "$(line "$mark")" --argjson s "$seconds" \
		--argjson least "${least:-0.94}" --argjson most "${most:-1.01}" '
		.answer.causes[$i] as $c |
		($c.ranks | map(tostring)) as $got |
		$c.computing and ($c.activity | contains($line)) and
		(if $ranks == "odd" then $c.ranks | all(. % 2 == 1)
		 elif $ranks == "even" then $c.ranks | all(. % 2 == 0)
		 elif $ranks == "all" then true
		 elif $ranks | startswith("in:") then
			$got - ($ranks[3:] | split(",")) == []
		 else ($got | join(",")) == $ranks end) and
		($s < 0 or ($c.seconds > $least * $s and
			$c.seconds < $most * $s))' "$name.json" >/dev/null ||
		{ jq -c .answer "$name.json"; false; }
}

# all_true NAME: all causes of the truth, in any order, and no other
all_true()
{
	local n i truth

	n=$(grep -c ^truth "$1.truth")
	[ "$(jq '.answer.causes | length' "$1.json")" = "$n" ] && [ "$n" -gt 0 ] ||
		{ jq -c .answer "$1.json"; cat "$1.err"; return 1; }
	while read -r _ truth; do
		for ((i = 0; i < n; i++)); do
			! is_true "$1" $i $truth >wrong || break
		done
		[ $i -lt "$n" ] || { cat wrong; return 1; }
	done < <(grep ^truth "$1.truth")
}

# first_true NAME: the first cause of the report is the first of the truth
first_true()
{
	local truth

	read -r _ truth < <(grep ^truth "$1.truth") &&
		is_true "$1" 0 $truth
}

# note_verdict NAME STATUS TRUTH: a line of the table: 0: right
note_verdict()
{
	printf '%s | %.60s | %.90s | %s\n' "$1" "$3" "$(jq -r 'if
		.answer.causes == [] then "nothing" else [.answer.causes[] |
		"rank \(.ranks | map(tostring) | join(",")) \(.activity
		) \(.seconds * 1000 | round) ms"] | join("; ") end' "$1.json")" \
		"$([ "$2" = 0 ] && echo right || echo WRONG)" >>verdicts
}
truth_text()
{
	local mark ranks seconds

	while read -r _ mark ranks seconds; do
		echo "rank $ranks after $(line "$mark") $seconds s"
	done < <(grep ^truth "$1.truth") | paste -sd ';'
}

# is_caused NAME: all_true, for the table; is_caused_first NAME: first_true
is_caused()
{
	local status

	all_true "$1"
	status=$?
	note_verdict "$1" $status "$(truth_text "$1")"
	return $status
}
is_caused_first()
{
	local status

	first_true "$1"
	status=$?
	note_verdict "$1" $status "$(truth_text "$1")"
	return $status
}

# is_balanced NAME [LEAST]: the report says that nothing is to be gained, and an
# efficiency of at least LEAST, 0.99; none where ranks waited for processors
is_balanced()
{
	local status busy=false

	tapestat "$1.tape" >"$1.txt" 2>&1
	! grep -q "^Warning: .* processor" "$1.txt" || busy=true
	holds "^No significant waiting" "$1.txt" &&
		holds "^The load is balanced" "$1.txt" &&
		jq -e --argjson least "${2:-0.99}" --argjson busy $busy '
			.efficiency | .parallel == null and $busy or
			.parallel >= $least and .parallel <= 1' "$1.json"
	status=$?
	note_verdict "$1" $status "nothing to gain"
	return $status
}

# right_in_most_runs CASE RECORD VERDICT: a real run has other delays than the
# planted one where others use the processors, so a wrong one is run twice again,
# and both have to be right. RECORD NAME CASE makes NAME.tape. With RUNS=20 all are
# run. The table has each run.
right_in_most_runs()
{
	local run right=0 wrong=0

	for ((run = 1; run <= ${RUNS:-3}; run++)); do
		"$2" "$1" "$1"
		if "$3" "$1"; then right=$((right + 1)); else wrong=$((wrong + 1)); fi
		[ -n "${RUNS:-}" ] || [ $wrong = 1 ] || break
	done
	[ $right -gt $wrong ]
}

# check_real TITLE CASE RECORD VERDICT: a test of that. It is skipped where the
# report says itself that ranks waited for processors.
check_real()
{
	local title=$1 status

	shift
	right_in_most_runs "$@" >tried 2>&1
	status=$?
	if [ $status != 0 ] && tapestat "$1.tape" 2>/dev/null |
		grep -q '^Warning: .* processor'; then
		sed -i '$s/WRONG$/busy/' verdicts
		skip "$title" "the processors were busy"
	else
		ok "$title" show_tried $status
	fi
}
show_tried() { cat tried; return "$1"; }

# check_balanced LEAST: two ranks that do the same, by record; the efficiency is at
# least that
check_balanced()
{
	least=$1
	check_real "balanced: nothing to gain" \
		balanced record_two is_almost_balanced
}
record_two() { record "$1" "$2" 2; }
is_almost_balanced() { is_balanced "$1" "$least"; }

# The table: case, truth, answer, right or wrong; and how many are right.
print_verdicts()
{
	[ -e verdicts ] || return 0
	sed 's/^/# /' verdicts
	echo "# $(grep -c 'right$' verdicts) of $(wc -l <verdicts) answers are right"
}

# ---- simulated runs ----

# a message takes its latency, and its bytes at 1 GB/s
exact=(--cfg=smpi/bw-factor:0:1 --cfg=smpi/lat-factor:0:1
	--cfg=network/crosstraffic:no --cfg=smpi/test:1e-5
	--cfg=smpi/iprobe:1e-5)
program=answers platform=free.xml placed=()
# simulate NAME RANKS CASE [even]: NAME.tape, its truth in NAME.truth, and
# NAME.json
simulate()
{
	local name=$1 ranks=$2

	shift 2
	taperun --simulate -np "$ranks" --platform ./$platform "${placed[@]}" \
		--bursts none --cfg=smpi/host-speed:1Gf "${exact[@]}" \
		-o "$name" ./$program "$@" \
		>"$name.truth" 2>"$name.err" && tapestat -j "$name.tape" \
		>"$name.json" 2>>"$name.err"
}
