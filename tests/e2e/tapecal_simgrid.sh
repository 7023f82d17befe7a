#!/bin/bash
# Platforms for SimGrid: what tapecal finds of a machine whose constants are
# known, for it is simulated; what SimGrid makes of the file, with another
# program; and tapeplat's shapes.
# Truth: simulated machines whose constants are known; SimGrid.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc

# ---- this machine ----

# row PLATFORM BYTES: what the model of the file's table says in ns
row() { awk -v b="$2" '$1 == b && /to/ { print $(NF - 1) }' "$1"; }
few="0 64 256 1024 3584 8192 65536 1048576 4194304"
# rows PLATFORM: those of the few sizes that are in the table, for some may have
# been disturbed
rows()
{
	local b ns

	for b in $few; do
		ns=$(row "$1" "$b")
		[ -z "$ns" ] || echo "$b $ns"
	done
}

# In make check-all only, as all that is measured: half a minute, or more.
if [ -n "${ALL:-}" ]; then
run here mpirun -np 2 tapecal -s -o here.xml
ok "tapecal -s ends well" equal "$(cat here.rc)" 0
ok "and says nothing, but that the machine is busy" same \
	<(cat here.out here.err | grep -vE 'disturbed|is busy') /dev/null
ok "a host for each core" holds "radical=\"0-$(($(nproc --all) - 1))\"" here.xml
ok "an operation for each nanosecond" holds 'speed="1e\+09f" core="1"' here.xml
ok "the collectives of the library" holds \
	'"smpi/coll-selector" value="ompi"' here.xml
limit() { sed -n "s/.*\"smpi\/$1-thresh\" value=\"\([0-9]*\)\".*/\1/p" here.xml; }
ok "messages are eager up to a limit, $(limit async-small) bytes" \
	[ "$(limit async-small)" -gt 1000 ]
ok "both thresholds are the same" equal "$(limit send-is-detached)" \
	"$(limit async-small)"
# how far that is depends on what else the machine does
off=$(awk '/error on average/ { print $4, $7 }' here.xml)
# those that were disturbed are left out, and counted
seen=$(grep -c '([0-9]* to [0-9]*)' here.xml)
left_out=$(sed -n 's/^ *\([0-9]*\) of [0-9]* sizes were disturbed.*/\1/p' here.xml)
ok "a table of all sizes; the model is ${off:-?} off" \
	[ $((seen + ${left_out:-0})) -ge 60 ]
ok "most of them are in it" [ "$seen" -gt "${left_out:-0}" ]
fi

# ---- what cannot be done ----

run one mpirun -np 1 tapecal -s -o one.xml
ok "one process: a sentence" holds '^tapecal: two processes are needed' one.err
ok "and no file" [ "$(cat one.rc)" -ne 0 -a ! -e one.xml ]
run nowhere mpirun -np 2 tapecal -s -o no/such/file.xml
ok "no folder: a sentence" holds \
	'^tapecal: no/such/file.xml: No such file' nowhere.err
ok "no success" [ "$(cat nowhere.rc)" -ne 0 ]
# ---- SimGrid ----

if ! command -v smpirun >/dev/null || ! command -v smpicc >/dev/null; then
	skip "what SimGrid makes of it" "smpi smpirun is not installed"
	finish
fi
smpicc -O1 -w -o steps "$here/steps.c" || exit 1

# simulated PLATFORM HOSTS PATTERN SIZE...: with rank i on word i of HOSTS
simulated()
{
	local platform=$1 pattern=$3

	tr ' ' '\n' <<<"$2" >hostfile
	shift 3
	smpirun -np "$(wc -l <hostfile)" -platform "$platform" \
		-hostfile hostfile --cfg=smpi/simulate-computation:no \
		--cfg=smpi/privatization:dlopen --cfg=smpi/wtime:0 \
		--log=root.thresh:error $exact ./steps "$pattern" 1 "$@"
}

# all_near FILE FILE SHARE: the second columns, nearly
all_near()
{
	paste "$1" "$2" | awk -v share="$3" '
		{ x = $2 / $4; n++ }
		$1 != $3 || !(x < 1 + share && x > 1 / (1 + share)) {
			print; bad = 1 }
		END { exit bad || !n }'
}

exact=
few_of() { cut -d' ' -f1 "$1"; }
if [ -n "${ALL:-}" ]; then
	rows here.xml >here.model
	simulated here.xml "core-0 core-1" pingpong $(few_of here.model) \
		>here.sim
	ok "SimGrid's ping-pong is the model in the file" \
		all_near here.sim here.model .01
fi

# A machine whose constants are known is simulated, and tapecal runs on it: its
# factors jump at 257, 4041 and 65536 bytes, messages that cross have 1.6 times
# the bandwidth of one.
cat >known.xml <<'END'
<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config>
    <prop id="smpi/lat-factor" value="0:1;272:0.6;4056:4;65551:6"/>
    <prop id="smpi/bw-factor" value="0:0.3;272:0.5;4056:0.6;65551:1"/>
    <prop id="smpi/os" value="0:150e-9:0;1023:200e-9:0.05e-9"/>
    <prop id="smpi/or" value="0:100e-9:0.02e-9"/>
    <prop id="smpi/ois" value="0:150e-9:0;1023:200e-9:0.05e-9"/>
    <prop id="smpi/async-small-thresh" value="4041"/>
    <prop id="smpi/send-is-detached-thresh" value="4041"/>
    <prop id="network/TCP-gamma" value="0"/>
    <prop id="network/crosstraffic" value="no"/>
    <prop id="smpi/iprobe" value="4e-8"/>
    <prop id="smpi/test" value="3e-8"/>
    <prop id="smpi/wtime" value="0"/>
    <prop id="smpi/host-speed" value="1Gf"/>
  </config>
  <cluster id="c" prefix="node-" suffix="" radical="0-1" speed="1Gf"
    core="2" bw="5GBps" lat="600ns" sharing_policy="SPLITDUPLEX"
    limiter_link="8GBps"/>
</platform>
END
if [ -x "$TAPE_BUILD/rig/smpi/tapecal" ]; then
	printf 'node-0\nnode-1\n' >two
	smpirun -np 2 -platform known.xml -hostfile two \
		--cfg=smpi/simulate-computation:no \
		--cfg=smpi/privatization:dlopen --log=root.thresh:error \
		"$TAPE_BUILD/rig/smpi/tapecal" -s -o found.xml
	# thresholds, and values to three digits
	settings()
	{
		sed -n "s|.*\"$1\" value=\"\([^\"]*\)\".*|\1|p" "$2" |
			tr ';' '\n' | awk -F: '{ printf "%s:%.2g ", $1, $2 }'
	}
	for id in smpi/lat-factor smpi/bw-factor; do
		ok "a simulated machine: $id" equal \
			"$(settings $id found.xml)" "$(settings $id known.xml)"
	done
	ok "its limit" equal "$(settings smpi/async-small-thresh found.xml)" \
		"$(settings smpi/async-small-thresh known.xml)"
	ok "its bandwidth and latency" holds 'bw="(5|4\.99|5\.00).*e\+09Bps" lat="(6|5\.99|6\.0).*e-07s"' found.xml
	ok "what crossing messages have together" holds \
		'limiter_link="(8|7\.9|8\.0).*e\+09Bps"' found.xml
	sizes="0 1 100 256 257 1000 1023 1024 2000 4040 4041 10000 65535 65536
		100000 1000000 4194304"
	for p in pingpong ring; do
		simulated known.xml "node-0 node-1" $p $sizes >known.$p
		simulated found.xml "node-0 node-1" $p $sizes >found.$p
		ok "$p on the machine and on what was found: within 1%" \
			all_near found.$p known.$p .01
	done
else
	skip "a simulated machine" "smpi smpicc was not there at build time"
fi

# ---- shapes ----

# With factors of 1 a message takes the route's latency and its bytes, of which
# SimGrid adds 16: at 1 GB/s, a nanosecond each.
exact="--cfg=smpi/lat-factor:0:1 --cfg=smpi/bw-factor:0:1
	--cfg=network/crosstraffic:no --cfg=smpi/os:0:0:0 --cfg=smpi/or:0:0:0"

# takes SHAPE HOSTS PATTERN BYTES NS
takes()
{
	tapeplat -o shape.xml "$1" && equal \
		"$(simulated shape.xml "$2" "$3" "$4")" "$4 $5.0"
}
net=bandwidth=1GBps,latency=2us
ok "a node: its latency" takes node:4,$net "core-0 core-3" pingpong 1000 3016
ok "on one core, too" takes node:4,$net "core-1 core-1" pingpong 1000 3016
ok "four ranks do not disturb each other" takes node:4,$net \
	"core-0 core-1 core-2 core-3" ring 100000 102016
ok "or share what a core has" takes node:4,$net,shared=1GBps \
	"core-0 core-1 core-2 core-3" ring 100000 202032
ok "a cluster: two links make a route" takes cluster:5,$net \
	"node-1 node-4" pingpong 1000 3016
ok "both directions are free" takes cluster:5,$net \
	"node-1 node-4" ring 100000 102016
ok "or share" takes cluster:5,$net,shared=1GBps \
	"node-1 node-4" ring 100000 202032
ok "a switch that limits" takes \
	cluster:4,$net,backbone=1GBps,backbone_latency=3us \
	"node-0 node-1 node-2 node-3" ring 100000 405064
ok "within a host: its loopback" takes \
	cluster:2,$net,loopback=10GBps,loopback_latency=500ns \
	"node-1 node-1" pingpong 99984 10500
ok "a cabinet" takes cabinets:3x4,$net \
	"cabinet1-0 cabinet1-3" pingpong 1000 3016
ok "cabinets: uplinks between" takes \
	cabinets:3x4,$net,uplink=10GBps,uplink_latency=5us,backbone_latency=1us \
	"cabinet0-0 cabinet2-3" pingpong 1000 14016
ok "an uplink that limits" takes \
	cabinets:2x2,$net,uplink=1GBps,uplink_latency=1us \
	"cabinet0-0 cabinet1-0 cabinet0-1 cabinet1-1" ring 100000 204032
ok "a fat tree" takes fat_tree:2x4,$net,uplinks=2 \
	"node-0 node-3" pingpong 1000 3016
ok "its upper switches" takes fat_tree:2x4,$net,uplinks=2 \
	"node-0 node-7" pingpong 1000 5016
ok "a torus: a neighbour" takes torus:4x4,$net "node-0 node-1" pingpong 1000 3016
ok "the other way round" takes torus:4x4,$net "node-0 node-3" pingpong 1000 3016
ok "two steps" takes torus:4x4,$net "node-0 node-5" pingpong 1000 5016
tapeplat -o nodes.xml cabinets:2x2,cores=2
tapeplat -l -o nodes cabinets:2x2,cores=2
ok "smpirun takes the list of hosts" smpirun -np 8 -platform nodes.xml \
	-hostfile nodes --cfg=smpi/simulate-computation:no \
	--cfg=smpi/host-speed:1Gf --log=root.thresh:error ./steps ring 1 1000

# measured factors on another shape: the same message takes the same time
exact=
# ---- measured machines ----

[ -n "${ALL:-}" ] || finish
tapeplat --factors here.xml -o wide.xml cluster:16
simulated wide.xml "node-3 node-9" pingpong $(few_of here.model) >wide.sim
ok "the factors of a file: the same times" all_near wide.sim here.model .01

# ---- two hosts ----

hosts=$TAPE_TOP/tests/rigs/hosts.sh
"$hosts" 0 0 -- true 2>reason
if [ $? -eq 77 ]; then
	skip "tapecal -s between hosts" "root: $(cat reason)"
	finish
fi
run net "$hosts" 0 0 -- sh -c "mpirun --mca plm_rsh_agent \$HOSTS_RSH \
	--host 10.87.0.1:2,10.87.0.2:1 --mca btl tcp,self,vader --bind-to none \
	--mca btl_tcp_if_include 10.87.0.0/24 \
	--mca oob_tcp_if_include 10.87.0.0/24 --mca mpi_yield_when_idle 1 \
	$TAPE_BUILD/bin/tapecal --simgrid"
ok "tapecal -s on two hosts" equal "$(cat net.rc)" 0
ok "a cluster of two, with a loopback" holds 'radical="0-1"' net.out
ok "that has a time of its own" holds 'loopback_bw=' net.out
ok "the limit of TCP, less a header" holds \
	'"smpi/async-small-thresh" value="65481"' net.out
rows net.out >net.model
simulated net.out "node-0 node-1" pingpong $(few_of net.model) >net.sim
ok "SimGrid's ping-pong between them is the model" all_near net.sim net.model .01
finish
