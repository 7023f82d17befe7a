#!/bin/bash
# The examples of goglin-2018, word by word: section 5.1 on four hosts of eight
# processes each (tests/rigs/hosts.sh), and its node alone; section 5.2; the
# switches between; and unbound processes (section 3.2.4). Tables are written
# from the paper: which processes each communicator has, in every step, those of
# the roots, and who gets none.
# Truth: tables of the paper.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
. "$here/hsplit.bash"
hosts=$TAPE_TOP/tests/rigs/hosts.sh
hsplit_build hsplit hsplit.c
hwloc_known || {
	skip "the examples of the paper" "hwloc is not installed"
	finish
}

# node STEP K: what a node does from that step on, its first process being K
node()
{
	local s=$1 k=$2 i j c

	for i in 0 1; do
		c=$((k + 4 * i))
		echo "$s comm L3 $i/2 $c $((c + 1)) $((c + 2)) $((c + 3))"
	done
	echo "$s roots $k $((k + 4))"
	for i in 0 1; do
		for j in 0 1; do
			c=$((k + 4 * i + 2 * j))
			echo "$((s + 1)) comm L1d $j/2 $c $((c + 1))"
			echo "$((s + 2)) comm Core 0/2 $c"
			echo "$((s + 2)) comm Core 1/2 $((c + 1))"
			echo "$((s + 2)) roots $c $((c + 1))"
		done
		echo "$((s + 1)) roots $((k + 4 * i)) $((k + 4 * i + 2))"
	done
	for ((i = k; i < k + 8; i++)); do echo "$((s + 3)) none $i"; done
}

# steps NAME: what the program printed is the table of that name
steps()
{
	equal "$(cat "$1.rc")" 0 && diff -u <(sort "$1.table") <(sort "$1.out")
}

# ---- one node: 5.1 below step 1, and 5.2 ----

bound 0 1 2 3 4 5 6 7
run node mpirun -np 8 ./bound ./hsplit
node 1 0 >node.table
ok "5.1, one node: L3, L1, cores, then nothing" steps node

bound 0 1 2-3 2-3 4-7 4-7 4-7 4-7
run mixed mpirun -np 8 ./bound ./hsplit
cat >mixed.table <<'END'
1 comm L3 0/2 0 1 2 3
1 comm L3 1/2 4 5 6 7
1 roots 0 4
2 comm L1d 0/2 0 1
2 comm L1d 1/2 2 3
2 roots 0 2
2 none 4
2 none 5
2 none 6
2 none 7
3 comm Core 0/2 0
3 comm Core 1/2 1
3 roots 0 1
3 none 2
3 none 3
4 none 0
4 none 1
END
ok "5.2: each is split as deep as it is bound" steps mixed

run levels mpirun -np 8 ./bound "$TAPE_BUILD/examples/hsplit/levels"
sed -n 's/^    \(rank [0-9]*: .*\)/\1/p' "$TAPE_TOP/doc/hierarchy.md" >levels.table
[ "$MPI" = mpich ] || ok "it is what doc/hierarchy.md shows" \
	same levels.table levels.out

bound all all all all all all all all
run unbound mpirun -np 8 ./bound ./hsplit
for i in {0..7}; do echo "1 none $i"; done >unbound.table
ok "unbound processes of one host are not split" steps unbound

[ "$MPI" = openmpi ] || finish

# ---- four nodes ----

"$hosts" 0 0 0 0 -- true 2>reason
if [ $? -eq 77 ]; then
	skip "four hosts" "root: $(cat reason)"
	finish
fi

# on_four NAME [VARIABLE...]: eight processes on each host, in blocks
on_four()
{
	local name=$1 v x=

	shift
	for v; do x+=" -x $v"; done
	run "$name" "$hosts" 0 0 0 0 -- sh -c "mpirun -np 32 $x \
		--host 10.87.0.1:8,10.87.0.2:8,10.87.0.3:8,10.87.0.4:8 \
		--mca plm_rsh_agent \$HOSTS_RSH --bind-to none \
		--mca btl tcp,self,vader --mca btl_tcp_if_include 10.87.0.0/24 \
		--mca oob_tcp_if_include 10.87.0.0/24 \
		-x OMPI_MCA_mpi_yield_when_idle $work/bound $work/hsplit"
}

bound 0 1 2 3 4 5 6 7
on_four four
{
	for k in 0 1 2 3; do
		echo "1 comm Machine $k/4" $(seq $((8 * k)) $((8 * k + 7)))
		node 2 $((8 * k))
	done
	echo "1 roots 0 8 16 24"
} >four.table
ok "5.1: machines, L3, L1, cores, then nothing" steps four

printf 'SwitchName=s0 Nodes=host[1-2]\nSwitchName=s1 Nodes=host[3-4]\n' >slurm
echo 'SwitchName=top Switches=s[0-1]' >>slurm
on_four slurm TAPE_NETWORK="$work/slurm"
{
	for s in 0 1; do
		echo "1 comm Switch1 $s/2" $(seq $((16 * s)) $((16 * s + 15)))
		echo "2 roots $((16 * s)) $((16 * s + 8))"
	done
	echo "1 roots 0 16"
	for k in 0 1 2 3; do
		echo "2 comm Machine $((k % 2))/2" $(seq $((8 * k)) $((8 * k + 7)))
		node 3 $((8 * k))
	done
} >slurm.table
ok "with switches of a topology.conf: a level more" steps slurm

printf 'levels Switch3 Switch2\ndims 1 2\nhost[1-2] 0 0\nhost[3-4] 0 1\n' >coords
on_four coords TAPE_NETWORK="$work/coords"
sed 's/Switch1/Switch2/' slurm.table >coords.table
ok "with coordinates, whose widest level is all: no level of its own" \
	steps coords

bound all all all all all all all all
on_four free
{
	for k in 0 1 2 3; do
		echo "1 comm Machine $k/4" $(seq $((8 * k)) $((8 * k + 7)))
	done
	echo "1 roots 0 8 16 24"
	for i in {0..31}; do echo "2 none $i"; done
} >free.table
ok "unbound processes of four hosts: by machine, then nothing" steps free
finish
