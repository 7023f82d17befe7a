#!/bin/bash
# A program compiled by smpicc on HOSTS simulated hosts, one rank each or RANKS:
#
#	run.sh HOSTS[xRANKS] PROGRAM [ARGUMENT...]
#
# One switch, 10 GBit/s, 20 us from host to host and some microseconds in each
# for the protocols, as TCP has them. A failed test takes 2 us: a loop of tests that
# take no time would never end. Nothing is measured on this machine: the simulation
# is the same each time.
set -eu
hosts=${1%x*}
each=1
case $1 in *x*) each=${1#*x} ;; esac
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/platform.xml" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="host" suffix="" radical="0-$((hosts - 1))"
	speed="1Gf" bw="1.25GBps" lat="10us"/>
</platform>
END
for ((i = 0; i < hosts * each; i++)); do
	echo "host$((i / each))"
done >"$folder/hosts"
export TMPDIR=$folder
smpirun -np "$((hosts * each))" -platform "$folder/platform.xml" \
	-hostfile "$folder/hosts" --log=root.thres:error \
	--cfg=smpi/host-speed:1Gf --cfg=smpi/simulate-computation:no \
	--cfg=smpi/wtime:0 --cfg=smpi/iprobe:0 --cfg=smpi/test:2e-6 \
	--cfg=smpi/grow-injected-times:no \
	--cfg=smpi/os:0:2e-6:0 --cfg=smpi/or:0:2e-6:0 \
	--cfg=smpi/async-small-thresh:65536 "$@"
