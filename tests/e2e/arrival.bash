# Sourced by the tests that compare the trace's answers with the truth: logs of
# both ranks on one clock, as arrival.c writes them.

# answers_of TRACE CALL: "tag answer" of each receive of rank 1
answers_of()
{
	tapedump "$1" 2>/dev/null | awk -v call="$2" '
		$1 == "flow" { mine = $2 == 1 }
		mine && tolower($3) == call {
			tag = ""; answer = ""
			for (i = 4; i <= NF; i++) {
				if (split($i, w, "=") != 2)
					continue
				if (w[1] == "actual_tag")
					tag = w[2]
				else if (w[1] == "arrived")
					answer = w[2]
				else if (w[1] == "received" &&
					 split(w[2], r, ":") == 5) {
					tag = r[3]
					answer = r[5]
				}
			}
			if (answer != "")
				print tag, answer
		}'
}

# way_of LOG: how long messages are under way, ns: three of four of those whose
# receive was waiting for them took less.
way_of()
{
	awk 'FILENAME != last { last = FILENAME; files++ }
		files == 1 { sb[$1] = $2; next }
		($1 in sb) && sb[$1] >= $2 { print $3 - sb[$1] }' "$1.0" "$1.1" |
		sort -n | awk '{ took[NR] = $1 }
			END { print NR ? took[int((3 * NR + 3) / 4)] : 0 }'
}

# judge TRACE CALL LOG: "there YES OF not YES OF left out N unasked N".
# There: its send had ended 1 us before the receive began; or, with early=1, for
# a library that ends the send when its receiver looks, had begun so long before
# as three of four messages of the same run were under way, and 1 us.
# Not: its send began 1 us (late, ns) after the receive, or more: what comes while
# the library is being asked is neither. What lies between is left out, and so
# is a receive that ended more than 50 us after both had begun and the send was
# over: whoever has the message needs less, so the process was off its processor,
# and may have been between its look at the clock and the call. So it may where
# the send began more than 20 us after the receive, for it was to begin 10 us
# after it at most, or where the kernel counts that it took the processor away.
# The answer is not looked at for any of this.
judge()
{
	local way=0

	[ "${early:-0}" = 0 ] || way=$(way_of "$3")
	answers_of "$1" "$2" | awk -v way="$way" -v late="${late:-1000}" '
		FILENAME != "-" && FILENAME != last { last = FILENAME; files++ }
		files == 1 && FILENAME != "-" { sb[$1] = $2; se[$1] = $3; next }
		FILENAME != "-" { rb[$1] = $2; re[$1] = $3; lost[$1] = $4; next }
		!($1 in sb) || !($1 in rb) { next }
		{
			later = se[$1] > rb[$1] ? se[$1] : rb[$1]
			there = se[$1] + 1000 <= rb[$1] ||
				(way && sb[$1] + way + 1000 <= rb[$1])
			not = sb[$1] >= rb[$1] + late
			if ($2 == 2)
				unasked++
			else if (re[$1] > later + 50000 || !(there || not) ||
				 sb[$1] > rb[$1] + 20000 || lost[$1])
				out++
			else if (there) {
				n_there++
				y_there += $2 == 1
			} else {
				n_not++
				y_not += $2 == 1
			}
		}
		END {
			printf "there %d of %d not %d of %d left out %d " \
				"unasked %d\n", y_there, n_there, y_not, n_not,
				out, unasked
		}' "$3.0" "$3.1" -
}

# right CALL COUNT COMMAND...: runs COMMAND ... COUNT LOG under taperun until
# there are many of both kinds: 95% of those there are to be called so, at
# most 2% of the others. Without eager (of a rendezvous nothing is there before
# its receive) only the latter. Many: a process that is off its processor for
# some microseconds between its look at the clock and the question, by an
# interrupt or on the host of a virtual machine, is not seen, and that comes in
# clusters. 2: the machine was too busy to tell.
right()
{
	local call=$1 count=$2 try=0 there=0 of=0 wrong=0 not=0 t y n v m
	local many=400 enough=50

	shift 2
	while [ $((try++)) -lt 6 ] && { [ $not -lt $many ] ||
		{ [ "${eager:-1}" = 1 ] && [ $of -lt $many ]; }; }; do
		rm -rf a.tape a.log.*
		timeout 120 mpirun -np 2 ${mca:-} taperun -o a.tape "$@" \
			"$count" "$PWD/a.log" >/dev/null ||
			{ echo "the program failed"; return 1; }
		t=$(judge a.tape "$call" a.log)
		echo "$t"
		read -r _ y _ n _ v _ m _ _ l _ u <<<"$t"
		equal $((n + m + l)):$u $count:0 || return 1
		there=$((there + y)) of=$((of + n))
		wrong=$((wrong + v)) not=$((not + m))
	done
	[ $((100 * there)) -ge $((95 * of)) ] &&
		[ $((100 * wrong)) -le $((2 * not + 100)) ] || return 1
	[ $not -ge $enough ] && { [ "${eager:-1}" != 1 ] || [ $of -ge $enough ]; } ||
		return 2
}

# ok_right NAME as right: skipped where the machine was too busy
ok_right()
{
	local name=$1

	shift
	right "$@" >right.said 2>&1
	case $? in
	0) say_ok "$name: $(tail -n 1 right.said)" ;;
	2) skip "$name" "the machine is too busy to tell" ;;
	*) say_not_ok "$name"; sed 's/^/# /' right.said ;;
	esac
}
