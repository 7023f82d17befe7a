#!/bin/bash
# Estimators of offset and drift on rounds recorded here, with one clock, so
# that the truth is known (bench/stamps.c, tests/rigs/stamps.c): a small
# recording of each kind. How far off they are is the machine's affair; that
# the guarantee holds is not.
# Truth: rounds of one clock.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
stamps=$TAPE_BUILD/rig/stamps
seed=${STAMPS_SEED:-1}
echo "# seed $seed"

# recorded NAME BTL OPTION...
recorded()
{
	local name=$1 btl=$2

	shift 2
	run "$name" mpirun --oversubscribe --bind-to none -np 2 \
		--mca btl "$btl,self" --mca mpi_yield_when_idle 1 \
		"$TAPE_BUILD/bench/stamps" -p 5 -n 400 "$@"
	equal "$(cat "$name.rc")" 0 &&
		equal "$(grep -c '^$' "$name.out")" 5 &&
		lacks '[^0-9. -]' "$name.out"
}

# No message of a recording arrives before it was sent, and no date of 60
# cases made of it is outside its guaranteed interval.
guaranteed()
{
	awk 'NF && ($2 <= $1 || $4 <= $3) { print FILENAME ": " $0; bad = 1 }
		END { exit bad }' "$1.out" || return
	"$stamps" -c 60 -s "$seed" "$1.out" >"$1.report"
	equal "$?" 0 || { sed 's/^/# /' "$1.report"; return 1; }
	holds '^recording .* cases 60 unfitted 0$' "$1.report" &&
		holds '^guarantee 60000 0 [0-9.]* [0-9.]* 0$' "$1.report"
}

for btl in vader tcp; do
	ok "$btl: five phases are recorded" recorded $btl $btl
	ok "$btl: no date is outside its guaranteed interval" guaranteed $btl
	ok "$btl: the same with the other rank asking, too, and a load" \
		recorded $btl-both $btl -r -l
	ok "$btl: no date is outside then" guaranteed $btl-both
done

# The rig can tell: a message that arrives before it was sent contradicts.
awk 'NF == 4 && NR == 30 { $2 -= 1e9 } { print }' vader.out >broken.out
cannot()
{
	"$stamps" -c 60 -s "$seed" broken.out >broken.report
	equal "$?" 1
}
ok "a round that no clock could have is noticed" cannot
printf '1 2 3\n' >short.out
refused()
{
	"$stamps" short.out >short.report 2>short.err
	equal "$?" 2 && holds 'not a Tape trace|damaged' short.err
}
ok "a line that is no round is refused" refused
finish
