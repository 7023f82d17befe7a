#!/bin/bash
# Programs on several hosts, each with a clock and a /dev/shm of its own, are
# followed on the first: MPI, and PVM, whose clocks come with its tasks.
# Truth: offsets of clocks that are known; the program without Tape.
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
# MPI's own traffic is on the hosts' network
net='10.87.0.0/24'
exec "$@" mpirun --mca plm_rsh_agent "$HOSTS_RSH" --host "$ON" --bind-to none \
	--mca btl tcp,self --mca btl_tcp_if_include $net \
	--mca oob_tcp_if_include $net ./streamed $WHAT
END
	chmod +x job
	export OMPI_MCA_mpi_yield_when_idle=1 WHAT='rounds 20000'
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
			"2 clocks were synchronised online" "$name.err"
		run "$name.run" timeout 200 "$hosts" 0 1000 -- ./job \
			timeout 100 tape run
		ok "MPI, first rank on $name: tape run finds its trace" holds \
			"^streamed[.2]*\.tico\.tape  2 ranks on 2 hosts" \
			"$name.run.err"
	done
	# several processes that analyse: each sees the messages of some ranks
	mkdir "$spool/clocks"
	cat >clocks <<END
#!/bin/bash
mkfifo where.clocks
"$gather" "$spool/clocks" >where.clocks &
gatherer=\$!
read -r TAPE_GATHER <where.clocks
export TAPE_GATHER
./job timeout 100 taperun -s stream=node -o "$spool/clocks/."
echo \$?
kill -USR1 \$gatherer
wait \$gatherer
: >"$spool/clocks/over"
END
	chmod +x clocks
	ON=10.87.0.1:2,10.87.0.2:2 WHAT='seconds 2' run clocks timeout 200 \
		"$hosts" 0 1000 -- ./clocks
	for n in 1 2 3 4; do
		run "clocks.$n" timeout 100 tapelive --keep -a -n 0 \
			--processes $n "$spool/clocks/streamed.tape"
	done
	ok "several processes: they end" equal "$(cat clocks.?.rc | sort -u)" 0
	for n in 3 4; do
		ok "$n processes: clocks and all else as with 2" equal \
			"$(cat clocks.$n.out; grep clocks clocks.$n.err)" \
			"$(cat clocks.2.out; grep clocks clocks.2.err)"
	done
	# how far times are known, and what was waited: by one process, by two
	awk '/clocks were synchronised/ { sub(/.*worst: /, ""); print $1 }' \
		clocks.[12].err | paste -sd' ' >clocks.known
	ok "by two clocks are known about as well as by one" awk '
		{ print } END { exit !(NF == 2 && $2 <= 3 * $1 + 20) }' clocks.known
	awk '$NF ~ /^MPI_Sendrecv/ && n[FILENAME]++ < 1 { print $3 }' clocks.1.out \
		clocks.2.out | paste -sd' ' >clocks.waited
	ok "and so is what was waited" awk '{ print } END {
		d = ($1 - $2) / $1
		exit !(NF == 2 && d < 0.05 && d > -0.05) }' clocks.waited
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
ok "PVM: clocks are one" holds "3 clocks were synchronised online" pvm.err
ok "PVM: all tasks are in it" lacks "missing from the trace|INCOMPLETE" pvm.err
run pvm.run timeout 200 "$hosts" 0 1000 7000 -- pvm_machine timeout 100 \
	tape run ./pvm_streamed 6 300
ok "PVM: tape run finds its trace" holds \
	"^pvm_streamed\.tico\.tape  7 ranks on 3 hosts" pvm.run.err

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
kill -USR1 \$gatherer
wait \$gatherer
: >"$spool/dates/over"
wait \$reader
echo \$?
END
chmod +x dates
run dates timeout 200 "$hosts" 0 1000 7000 -- pvm_machine ./dates
ok "dates: program and reader end" eval \
	'cat dates.followed; equal "$(sed 1d dates.out | paste -sd" ")" "0 0"'
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
