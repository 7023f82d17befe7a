# For tests of the setting noise, after tap.bash or pvm.bash. go NAME SETTING COMMAND...
# runs a command with noise=SETTING; NAME.tape is its trace.

# drawn NAME SEED MEAN SHARE: each call that the formula delays has that much alpha
drawn()
{
	tapedump -j "$1.tape" 2>/dev/null |
		python3 "$here/noise.py" "${@:2}" >"$1.drawn"
	holds '^[1-9][0-9]* delayed \[\]$' "$1.drawn"
}
# try_seeds SEEDS COMMAND...: plain is the run without noise; with "race" the command
# has a race
try_seeds()
{
	local seed

	for seed in $1; do
		go race$seed $seed:2000:50 "${@:2}" race
		go none$seed $seed:2000:50 "${@:2}"
		ok "seed $seed: without a race the result is the same" \
			alike plain none$seed
		ok "seed $seed: each call that is drawn is delayed" \
			drawn none$seed $seed 2000 50
	done
	ok "with a race it is another for some seeds" eval \
		"cat race?.out race?.err race?.rc
		[ \$(cat race?.rc | sort -u) = 0 ] && [ \$(cat race?.out | sort -u | wc -l) -gt 1 ]"
}
