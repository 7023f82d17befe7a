#!/bin/bash
# Where each rank is in the hierarchy of the hardware: rank.R says it, of the
# binding that a rank has, of a topology that HWLOC_SYNTHETIC describes, and of
# switches that a file names; tools hand it on. A file that is no good costs one
# line and no more.
# Truth: topologies that are given.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build positions positions.c
host=$(hostname)
# what libtape-mpi was built with
if ldd "$TAPE_BUILD/lib/lib$tracer.so" | grep -q 'libhwloc\.so\.15'; then
	hwloc=1
else
	hwloc=
fi

# at TRACE: the positions of its ranks, one on a line
at() { grep -h '^position ' $(ls -v "$1"/rank.*) | sed 's/^position //'; }

# at_is TRACE POSITION...: those
at_is()
{
	local t=$1

	shift
	equal "$(at "$t")" "$(printf '%s\n' "$@")"
}

# traced NAME ARGUMENT...: NAME.tape
traced()
{
	local name=$1

	shift
	run "$name" mpirun -np 2 taperun -o "$name" "$@"
	equal "$(cat "$name.rc")" 0
}

# ---- what a rank is bound to ----

if [ -z "$hwloc" ]; then
	skip "inside of a host" "hwloc was not there at build time"
else
	export HWLOC_SYNTHETIC='Package:2 L3:2 L2:2 Core:1 PU:2'
	export TAPE_BINDING=0-3
	ok "a synthetic host" traced four ./positions
	ok "a binding of four processors: below their L3 cache" at_is four.tape \
		"Cluster/Machine:$host/Package:0/L3:0"{,}
	ok "another rank has another one" run each mpirun -np 1 \
		env TAPE_BINDING=8 taperun -o each ./positions : -np 1 \
		env TAPE_BINDING=14-15 taperun -o each ./positions : -np 1 \
		env TAPE_BINDING=8-15 taperun -o each ./positions : -np 1 \
		env TAPE_BINDING=all taperun -o each ./positions
	m=Cluster/Machine:$host
	ok "one processor, a core, a package, all" at_is each.tape \
		"$m/Package:1/L3:2/L2:4/Core:4/PU:8" \
		"$m/Package:1/L3:3/L2:7/Core:7" "$m/Package:1" "$m"
	# what says no more than the host does is left out
	more() { at "$1" | grep -v '^Cluster/Machine:[^/]*$'; }
	ok "tools hand it on" sh -c 'sba each.tape && tico -o each.tico.tape each.sba.tape'
	for t in each.sba each.tico; do
		ok "$t has it" same <(more each.tape) <(more $t.tape)
	done
	tapedump each.tape >each.txt 2>/dev/null
	tapedump --assemble -o again.tape each.txt
	ok "as text, and back" same <(at each.tape) <(at again.tape)
	TAPE_BINDING=0,x traced bad ./positions
	ok "a binding that is none" at_is bad.tape "Cluster/Machine:$host"{,}
	ok "and a line for each" equal "$(grep -c 'TAPE_BINDING' bad.err)" 2
	unset HWLOC_SYNTHETIC TAPE_BINDING

	first=$(awk '/^Cpus_allowed_list/ { sub(/[,-].*/, "", $2); print $2 }' \
		/proc/self/status)
	run bound mpirun -np 1 taperun -o bound ./positions "$first" : \
		-np 1 taperun -o bound ./positions
	ok "a binding by the kernel: to one core" \
		holds "^Cluster/Machine:$host.*/(Core|PU):[0-9]+\$" \
		<(at bound.tape | head -n 1)
	ok "and it stays" equal "$(cat bound.out bound.rc)" 0
fi

# ---- switches ----

cat >net <<END
levels Switch2 Switch1
dims 4 4
$host.some.where 3 1
END
cat >slurm <<END
SwitchName=top Switches=s[0-1]
SwitchName=s0 Nodes=other[0-9] LinkSpeed=1
SwitchName=s1 Nodes=$host
END
export TAPE_BINDING=all HWLOC_SYNTHETIC='Core:4 PU:1'
ok "switches by their coordinates" traced net -s network=net ./positions
ok "are above the host" at_is net.tape \
	"Cluster/Switch2:3/Switch1:1/Machine:$host"{,}
TAPE_NETWORK=slurm ok "as Slurm has them" traced slurm ./positions.linked
ok "with their names" at_is slurm.tape \
	"Cluster/Switch2:top/Switch1:s1/Machine:$host"{,}
ok "sba and tico hand them on" sh -c \
	'sba slurm.tape && tico -o slurm.tico.tape slurm.sba.tape'
ok "the result has them" at_is slurm.tico.tape \
	"Cluster/Switch2:top/Switch1:s1/Machine:$host"{,}

echo "levels A B" >>net
run without mpirun -np 2 ./positions
ok "a file that is no good" traced fault -s network=net ./positions
ok "costs one line, which says where" equal "$(grep '^tape: ' fault.err)" \
	"tape: net:4: levels given twice; positions are recorded without switches"
ok "and nothing else" at_is fault.tape "Cluster/Machine:$host"{,}
ok "the program does not notice" same_output without fault
ok "no such file" traced none -s network=nowhere ./positions
ok "costs a line, too" equal "$(grep '^tape: ' none.err)" \
	"tape: nowhere: No such file or directory; positions are recorded without switches"
unset TAPE_BINDING HWLOC_SYNTHETIC

# ---- several hosts ----

if [ "$MPI" = mpich ]; then
	finish # one host is enough: the rest is the same code
fi
hosts=$TAPE_TOP/tests/rigs/hosts.sh
"$hosts" 0 0 -- true 2>reason
if [ $? -eq 77 ]; then
	skip "positions on several hosts" "root: $(cat reason)"
	finish
fi
cat >hosts <<END
levels Switch2 Switch1
host[1-2] 0 0
host3 0 1
host4 1 0
END
command="mpirun --host 10.87.0.1:2,10.87.0.2:2,10.87.0.3:2,10.87.0.4:2 -np 8
	--mca plm_rsh_agent \$HOSTS_RSH --map-by node --bind-to none
	--mca btl tcp,self,vader --mca btl_tcp_if_include 10.87.0.0/24
	--mca oob_tcp_if_include 10.87.0.0/24 --mca mpi_yield_when_idle 1
	-x TAPE_BINDING=1 -x HWLOC_SYNTHETIC='Core:4 PU:1'"
# two of the hosts have clocks of their own
run many "$hosts" 0 0 5 5 -- sh -c "$(tr '\n' ' ' <<<"$command") \
	$TAPE_BUILD/bin/taperun -s clock=monotonic_raw -s network=$work/hosts \
	-o $work/many $work/positions"
ok "eight ranks on four hosts" equal "$(cat many.rc)" 0
core=${hwloc:+/Core:1}
ok "each below its switch" same <(at many.tape | sort) <(
	for i in 1 2; do
		printf 'Cluster/Switch2:%s/Switch1:%s/Machine:host%s%s\n' \
			0 0 1 "$core" 0 0 2 "$core" 0 1 3 "$core" 1 0 4 "$core"
	done | sort)
finish
