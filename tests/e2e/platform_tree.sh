#!/bin/bash
# tapeplat's trees: what messages take in SimGrid is what the links of their way
# say, added up by hand; and the levels file is one.
# Truth: sums of links by hand.
. "$(dirname "$0")/tap.bash"
if ! command -v smpirun >/dev/null || ! command -v smpicc >/dev/null; then
	skip "trees in SimGrid" "smpi smpirun is not installed"
	finish
fi
smpicc -O1 -w -o steps "$here/steps.c" || exit 1

# With factors of 1 a message takes the route's latency and its bytes, of which
# SimGrid adds 16: at 1 GB/s, a nanosecond each.
# takes SHAPE HOSTS PATTERN BYTES NS: rank i is on word i of HOSTS
takes()
{
	tr ' ' '\n' <<<"$2" >hostfile
	tapeplat -o shape.xml "$1" && equal "$4 $5.0" "$(smpirun \
		-np "$(wc -l <hostfile)" -platform shape.xml \
		-hostfile hostfile --cfg=smpi/simulate-computation:no \
		--cfg=smpi/privatization:dlopen --cfg=smpi/wtime:0 \
		--cfg=smpi/lat-factor:0:1 --cfg=smpi/bw-factor:0:1 \
		--cfg=network/crosstraffic:no --cfg=smpi/os:0:0:0 \
		--cfg=smpi/or:0:0:0 --log=root.thresh:error \
		./steps "$3" 1 "$4")"
}

# whole ways of 40, 12 and 2 us: links of 14, 5 and 1 us, up and down again;
# the slowest link is that of a switch, 1 GB/s
tree=tree:2x3x4,levels=Switch/Node/core,latency=40us/12us/2us
tree=$tree,bandwidth=1GBps/2GBps/4GBps
ok "within the innermost group: 2 us and 40000 B at 4 GB/s" \
	takes $tree "core-4 core-7" pingpong 39984 12000
ok "one level more: 12 us, at 2 GB/s" \
	takes $tree "core-3 core-8" pingpong 39984 32000
ok "all levels: 40 us, at 1 GB/s" \
	takes $tree "core-3 core-20" pingpong 39984 80000
ok "two messages into one switch, two out of it: they share its link" \
	takes $tree "core-0 core-12 core-4 core-16" ring 99984 240000
ok "two that go through different nodes do not share" \
	takes $tree "core-0 core-4 core-8" ring 99984 62000
ok "two of one node do" \
	takes $tree "core-0 core-4 core-1 core-8" ring 99984 112000
ok "one value for all levels: links between have no latency" \
	takes tree:2x2x2,latency=2us,bandwidth=1GBps \
	"node-0 node-7" pingpong 1000 3016
ok "on one host: its loopback" \
	takes tree:2x2,loopback=10GBps,loopback_latency=500ns \
	"node-1 node-1" pingpong 99984 10500
four=tree:2x2x2x2,latency=40us/20us/8us/2us,bandwidth=1GBps
for end in "1 3016" "3 9016" "5 21016" "14 41016"; do
	ok "four levels: to host ${end% *}" takes $four \
		"node-0 node-${end% *}" pingpong 1000 "${end#* }"
done

# what the levels file says of each host, by division
tapeplat -L -o levels tree:3x2x4,levels=Switch/Node/core
ok "the levels" equal "$(head -2 levels | tr '\n' ' ')" \
	"levels Switch Node dims 3 2 "
ok "a line for each group" same <(sed 1,2d levels) <(for g in 0 1 2 3 4 5; do
	echo "core-[$((4 * g))-$((4 * g + 3))] $((g / 2)) $((g % 2))"; done)
tapeplat -l -o hosts tree:3x2x4,levels=Switch/Node/core
ok "all hosts are in the list" equal "$(tr '\n' ' ' <hosts)" \
	"$(printf 'core-%d ' $(seq 0 23))"
finish
