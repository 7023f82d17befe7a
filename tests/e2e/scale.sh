#!/bin/bash
# Clock sampling on many hosts: the runtime's own code on a simulated machine
# (tests/rigs/scale), whose clocks are in truth all the same.
# Truth: simulated clocks.
. "$(dirname "$0")/tap.bash"
if ! command -v smpirun >/dev/null || [ ! -x "$TAPE_BUILD/rig/sampling" ]; then
	skip "clocks of many hosts" "simgrid is not installed"
	echo "1..$tests"
	exit 0
fi

# simulated HOSTS: leaves HOSTS/clocks and HOSTS.out
simulated()
{
	mkdir "$1"
	run "$1" "$TAPE_TOP/tests/rigs/scale/run.sh" "$1" \
		"$TAPE_BUILD/rig/sampling" "$work/$1"
}

# Each domain is sampled once, by one that is the reference or was sampled; its
# rounds are 3 at least, and none of them refutes that the clocks are the same.
tree()
{
	equal "$(cat "$1.rc" "$1.err")" 0 &&
		awk -v hosts="$1" '
			$1 != "sample" || $2 != "before" { bad++ }
			{
				by = $8 + 0
				if ($3 in asked && asked[$3] != by)
					bad++
				asked[$3] = by
				n[$3]++
				bad += !($6 - $7 <= 0 && $5 - $4 >= 0)
				bad += !($4 < $7 && $5 <= $6)
			}
			END {
				for (d = 1; d < hosts; d++) {
					at = d
					for (k = 0; at && k < hosts; k++)
						at = asked[at]
					bad += at != 0 || n[d] < 3
				}
				bad += length(asked) != hosts - 1 || 0 in asked
				print bad + 0, "wrong,", length(asked), "asked"
				exit bad > 0
			}' "$1/clocks"
}

# shape HOSTS DEPTH: and no level takes longer than a pair may, 20 ms of
# simulated time, besides gathering the rounds
shape()
{
	holds "^domains $1 levels $2 depth $2 ms " "$1.out" &&
		awk -v levels="$2" '{ exit !($8 > 0 && $8 < 20 * levels + 5) }' \
			"$1.out"
}

for h in "2 1" "5 2" "16 4"; do
	set -- $h
	simulated "$1"
	ok "$1 hosts: every clock is sampled once" tree "$1"
done
ok "16 hosts: four levels, four deep" shape 16 4
# member 3 is two pairs away, and three levels are needed for 4
ok "5 hosts: three levels, two deep" \
	holds '^domains 5 levels 3 depth 2 ' 5.out
simulated 64
ok "64 hosts: every clock is sampled once" tree 64
ok "64 hosts: six levels" shape 64 6
finish
