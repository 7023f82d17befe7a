#!/bin/bash
# Programs on several hosts, each with a clock and a /dev/shm of its own, are
# followed on the first: MPI, and PVM, whose clocks come with its tasks.
. "$(dirname "$0")/tap.bash"
hosts=$TAPE_TOP/tests/rigs/hosts.sh
gather=$TAPE_BUILD/libexec/tape-gather
followed=$TAPE_BUILD/rig/followed
PATH=$TAPE_TOP/tests/rigs/pvm:$PATH
export HOSTS_APART=1
"$hosts" 0 1 -- true 2>reason
if [ $? -eq 77 ]; then
	skip "several hosts" "root: $(cat reason)"
	finish
fi
spool=/dev/shm/tape-hosts.$$
mkdir "$spool"
later rm -rf "$spool"

# ---- MPI ----

if command -v mpirun >/dev/null && command -v tapelive >/dev/null; then
	build streamed streamed.c
	cat >job <<'END'
#!/bin/bash
# of one rank on each host, MPI's own traffic on their network
net='10.87.0.0/24'
exec "$@" mpirun --mca plm_rsh_agent "$HOSTS_RSH" --host "$ON" --bind-to none \
	--mca btl tcp,self --mca btl_tcp_if_include $net \
	--mca oob_tcp_if_include $net ./streamed rounds 20000
END
	chmod +x job
	export OMPI_MCA_mpi_yield_when_idle=1
	for on in 10.87.0.1:1,10.87.0.2:1 10.87.0.2:1,10.87.0.1:1; do
		name=${on%%:*}
		export ON=$on
		run "$name" timeout 200 "$hosts" 0 1000 -- ./job \
			timeout 100 tape live -o "$name.report"
		ok "MPI, first rank on $name: the program is as alone" equal \
			"$(cat "$name.rc"; sort "$name.out")" "$(printf '%s\n' 0 \
				"$(mpirun -np 2 ./streamed rounds 20000 | sort)")"
		ok "MPI, first rank on $name: both hosts are in the report" holds \
			"^streamed  2 ranks on 2 hosts" "$name.report"
		ok "MPI, first rank on $name: all calls" holds \
			" 40000 .* MPI_Sendrecv" "$name.report"
		ok "MPI, first rank on $name: clocks are one" holds \
			"the 2 clocks were brought together" "$name.err"
	done
else
	skip "MPI on several hosts" "mpi is not installed"
fi

# ---- PVM ----

if ! command -v pvmd >/dev/null || [ ! -e "$TAPE_BUILD/lib/libtape-pvm.so" ]; then
	skip "PVM on several hosts" "pvm is not installed"
	finish
fi
gcc -O1 -g -o pvm_streamed "$here/pvm_streamed.c" -lgpvm3 -lpvm3
run pvm timeout 200 "$hosts" 0 1000 7000 -- pvm_machine timeout 100 \
	tape live -o pvm.report ./pvm_streamed 6 3000
run pvm.plain timeout 200 pvm_machine ./pvm_streamed 6 3000
ok "PVM: the program is as alone" equal "$(cat pvm.rc pvm.out)" \
	"$(cat pvm.plain.rc pvm.plain.out)"
ok "PVM: tasks of all hosts are in the report" holds \
	"^pvm_streamed  7 ranks on 3 hosts" pvm.report
ok "PVM: all calls" holds " 36000 .* pvm_recv" pvm.report
ok "PVM: clocks are one" holds "the 3 clocks were brought together" pvm.err
ok "PVM: all tasks are in it" lacks "not in it|INCOMPLETE" pvm.err

# All dates against the true ones: the hosts' clocks are the machine's, shifted.
mkdir "$spool/dates"
cat >dates <<END
#!/bin/bash
mkfifo where
"$gather" "$spool/dates" >where &
gatherer=\$!
read -r TAPE_GATHER <where
export TAPE_GATHER
(
	until [ -e "$spool/dates/pvm_streamed.tape/meta" ]; do sleep 0.05; done
	exec "$followed" -fc "$spool/dates/pvm_streamed.tape"
) >dates.live 2>dates.followed &
reader=\$!
taperun -s stream=node -s clock=monotonic_raw -o "$spool/dates/." ./pvm_streamed 5 4000
echo \$?
kill \$gatherer
wait \$gatherer
: >"$spool/dates/over"
wait \$reader
echo \$?
END
chmod +x dates
run dates timeout 200 "$hosts" 0 1000 7000 -- pvm_machine ./dates
ok "dates: program and reader end" equal "$(sed 1d dates.out | paste -sd' ')" "0 0"
grep -H '^host ' "$spool"/dates/*/rank.* | sed 's/.*rank\.//; s/:host host/ /' \
	>dates.hosts
awk '
	NR == FNR { skew[$1] = ($2 == 2 ? 1000 : $2 == 3 ? 7000 : 0); next }
	$1 == "date" {
		n[skew[$2]]++
		# seconds apart: a double has not all digits of a tick
		e = ($4 - $3) + skew[$2] * 1e9
		if (e < 0)
			e = -e
		if (e > most)
			most = e
	}
	$1 == "error" { worst = $3 }
	END {
		for (k in n)
			hosts++
		print hosts, "clocks, dates wrong by", most, "ns at most; said:", worst
	}' dates.hosts dates.live >dates.sum
ok "dates: none is more wrong than what is said of the worst clock" awk '
	{ print }
	END { exit !($1 == 3 && $6 <= $NF && $NF > 0 && $NF < 1e8) }' dates.sum
finish
