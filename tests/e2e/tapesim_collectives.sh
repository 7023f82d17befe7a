#!/bin/bash
# Collectives of tapesim's own engine against SimGrid's: all kinds of 2 to 64 ranks, 8
# bytes to 1 MB, blocking and not; each rank must leave at the same nanosecond.
# Truth: SimGrid's collectives.
. "$(dirname "$0")/tap.bash"
command -v smpirun >/dev/null || {
	skip tapesim_collectives "no SimGrid"
	finish
}
seed=${SEED:-1}
echo "# seed $seed"

# platform NAME ATTRIBUTES [SETTING VALUE]...
platform()
{
	local name=$1 attributes=$2
	shift 2
	{
		echo '<?xml version="1.0"?>'
		echo '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
		echo '<platform version="4.1"><config id="General">'
		while [ $# -gt 0 ]; do
			echo "<prop id=\"$1\" value=\"$2\"/>"
			shift 2
		done
		echo "</config><cluster id=\"c\" prefix=\"h\" suffix=\"\""
		echo " radical=\"0-63\" speed=\"1Gf\" $attributes/></platform>"
	} >"$name.xml"
}
# same PLATFORM RANKS_PER_HOST shared|alone RANKS SIZE...
same_times()
{
	local name=$1 each=$2 links=$3 n=$4 rc
	shift 4
	rm -rf actions
	python3 "$here/tapesim_collectives.py" "$seed" "$n" actions "$@" &&
		"$TAPE_BUILD/rig/engines" "$name.xml" actions "$each" "$links" >log
	rc=$?
	sed 's/^/# /' log
	# nothing was guessed
	[ "$rc" -eq 0 ] && holds "^# 0 collectives without" log &&
		holds "^0 of [1-9][0-9]* collectives" log
}

# no message slows another one down
alone='bw="1PBps" lat="0ns" loopback_bw="1GBps" loopback_lat="1us" bb_bw="100MBps"
	bb_lat="20us" bb_sharing_policy="FATPIPE" core="4"'
platform free "$alone"
platform busy "$alone" smpi/os "0:1e-6:1e-9;1000:2e-6:0" smpi/ois 0:3e-7:0 \
	smpi/or "0:1e-6:2e-9" smpi/async-small-thresh 5000
platform shared 'bw="1GBps" lat="400ns" sharing_policy="SPLITDUPLEX"
	bb_bw="16GBps" bb_lat="200ns"' network/crosstraffic no network/weight-S 0

for n in 2 3 5 7 8 16 17; do
	ok "$n ranks" same_times free 1 alone "$n" \
		8 64 1000 5000 20000 70000 300000 1000000
done
for n in 31 32 64; do
	ok "$n ranks" same_times free 1 alone "$n" 8 1000 20000 300000
done
for n in 3 8 17; do
	ok "$n ranks, calls that take time" same_times busy 1 alone "$n" \
		8 1000 8000 70000
done
for n in 8 13; do
	ok "$n ranks, 3 to a host" same_times busy 3 alone "$n" 8 1000 70000
done
for n in 5 8; do
	ok "$n ranks over shared links" same_times shared 1 shared "$n" \
		8 1000 20000
done
finish
