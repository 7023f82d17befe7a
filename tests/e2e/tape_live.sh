#!/bin/bash
# tape live: a report of a run of which no trace is kept. The program is as alone,
# its exit status, output and signals are its own, and nothing is left behind.
# Truth: the program without Tape; processes and files that are left.
. "$(dirname "$0")/tap.bash"
. "$here/spools.bash"
need mpirun mpicc tapelive python3
build streamed streamed.c

run plain mpirun -np 2 ./streamed rounds 60000
run live timeout 300 tape live mpirun -np 2 ./streamed rounds 60000
ok "as alone" equal "$(cat live.rc; sort live.out)" "$(cat plain.rc
	sort plain.out)"
ok "the report is on standard error, of the program" holds \
	"^streamed  2 ranks" live.err
ok "of all calls" holds " 120000 .* MPI_Sendrecv" live.err
run file timeout 300 tape live -o report.txt -s stream_bytes=196608 -n 3 \
	mpirun -np 2 ./streamed alone 60000
ok "-o: the report is in the file" holds "^streamed  2 ranks" report.txt
ok "-o: and nothing is said" equal "$(cat file.rc file.err)" 0
run status timeout 300 tape live sh -c 'exit 7'
ok "the exit status is the command's" equal "$(cat status.rc)" 7
ok "there is nothing to report, and that is said" holds \
	"^tape: no trace was written" status.err
run short timeout 300 tape live -an 3 -i0.5 --hist 1 --lin=1 sh -c 'exit 5'
ok "options of tapelive may be short, and together, as tapelive has them" equal \
	"$(cat short.rc)" 5
run signal timeout 300 tape live bash -c 'kill -TERM $$'
ok "so is its end by a signal" equal "$(cat signal.rc)" 143
printf 'a line\n' >input
ok "standard input is the command's" equal "$(tape live cat <input 2>cat.err)" \
	"a line"

cp streamed bare
strip -g bare
run bare timeout 300 tape live mpirun -np 2 ./bare rounds 6000
ok "call sites without a line: said once" equal \
	"$(grep -cE '/bare: no lines? for [0-9]+ call sites?: ' bare.err)" 1

# ---- signals ----

# begun NAME COMMAND...: in the background, in a process group of its own, until the
# program has said that it is there; sets pid
begun()
{
	local name=$1 tries=0

	shift
	: >"$name.out" # of an earlier run it would say that this one is there
	setsid env --default-signal=INT,QUIT "$@" >"$name.out" 2>"$name.err" </dev/null &
	pid=$!
	until grep -q there "$name.out" || [ $((++tries)) -gt 600 ]; do
		sleep 0.05
	done
}
# traced: the program in the only spool has begun to be
traced()
{
	local tries=0

	until [ -s "$(echo "$TAPE_SPOOL"/*/streamed.tape/flow.0.0)" ] ||
		[ $((++tries)) -gt 600 ]; do
		sleep 0.05
	done
	spools >>spools
}
# ended NAME: waits for pid; leaves NAME.rc
ended() { wait "$pid"; echo $? >"$1.rc"; }
cat >counts.py <<'END'
import signal, sys, time
n = 0
def count(*_):
    global n
    n += 1
for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT,
          signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(s, count)
print("there", flush=True)
end = time.monotonic() + 1.5
while time.monotonic() < end:
    time.sleep(0.05)
print(n)
sys.exit(5)
END
for signal in INT TERM HUP QUIT USR1 USR2; do
	begun one tape live python3 counts.py
	kill -s $signal "$pid"
	ended one
	ok "SIG$signal goes to the program, once, whose status it is" equal \
		"$(cat one.rc one.out)" $'5\nthere\n1'
	begun all tape live python3 counts.py
	kill -s $signal -- "-$pid"
	ended all
	ok "nor twice where its process group gets it" equal \
		"$(cat all.rc all.out)" $'5\nthere\n1'
done
cat >job.sh <<'END'
echo $$ >job.pid
(sleep 1; echo there) &
exec mpirun -np 2 ./streamed seconds 100
END
begun job tape live bash job.sh
traced
kill -TERM "$pid"
ended job
begun job.plain bash job.sh
kill -TERM "$pid"
ended job.plain
ok "an MPI job that is ended: the status as alone" equal "$(cat job.rc)" \
	"$(cat job.plain.rc)"
ok "and the report is of what came" holds '^streamed  2 ranks' job.err
begun killed tape live bash job.sh
traced
kill -KILL "$pid"
ended killed
kill -TERM "$(cat job.pid)"
tries=0
until { grep -q '^streamed  2' killed.err && [ -z "$(spools)" ]; } ||
	[ $((++tries)) -gt 200 ]; do
	sleep 0.1
done
ok "tape is killed: the spool goes with the program" equal "$(spools)" ""
ok "and there was a report" holds '^streamed  2 ranks' killed.err

{ sleep 0.5; tape live bash -c 'exit 6'; echo $? >closed; } 2>&1 | true
ok "one whose standard error nobody reads: the status is the command's" equal \
	"$(cat closed)" 6

# ---- what others left behind, and have ----

mkdir "$TAPE_SPOOL"/tape-live.{aaaaaa,bbbbbb}
echo mine >"$TAPE_SPOOL/tape-live.aaaaaa/mine"
begun lost tape live bash job.sh
traced
lost=$(cd "$TAPE_SPOOL" && ls -d */streamed.tape)
kill -KILL -- "-$pid"
ended lost
begun other tape live bash job.sh
tries=0
until ls -d "$TAPE_SPOOL"/*/streamed.tape/flow.0.0 2>/dev/null |
	grep -qvF "$lost" || [ $((++tries)) -gt 600 ]; do
	sleep 0.05
done
run next tape live true
cat other.err next.err >nexts
ok "all were killed: the next one removes what is left, and says so" eval \
	"holds '^tape: removed .*/${lost%/*}, .* MB, left by a killed tape live' nexts &&
	[ ! -e '$TAPE_SPOOL/${lost%/*}' ]"
ok "one in use stays" eval '[ "$(ls -d "$TAPE_SPOOL"/*/streamed.tape | wc -l)" = 1 ] &&
	lacks "removed .*/$(basename "$(dirname "$TAPE_SPOOL"/*/streamed.tape)")," next.err'
ok "somebody's own directory stays" equal \
	"$(cat "$TAPE_SPOOL/tape-live.aaaaaa/mine")" mine
kill -TERM "$pid"
ended other
ok "and there is a report of the one in use" holds '^streamed  2 ranks' other.err
rm -r "$TAPE_SPOOL/tape-live.aaaaaa"

# A spool that cannot be removed, in its directory too many levels deep, keeps its
# name; nothing of it is lost that is not a spool's.
deep=$TAPE_SPOOL/tape-live.cccccc.gone
mkdir -p "$deep/$(printf 'd/%.0s' {1..70})"
for i in 1 2; do
	run deep$i tape live true
done
ok "one that cannot be removed is named each time, by one name" equal \
	"$(cat deep1.err deep2.err | grep -c "^tape: $deep, left by a killed tape live, cannot be removed"
		ls -d "$TAPE_SPOOL"/tape-live.cccccc*)" "2
$deep"
rm -r "$deep"

# no file can be written in the folder for spools
mkdir full
(
	trap '' XFSZ
	ulimit -f 0
	TAPE_SPOOL=$work/full exec tape live touch ran
) 2>&1 </dev/null | cat >full.err
ok "a full folder: that is said, and nothing stays there" equal \
	"$(cat full.err; ls full; ls ran 2>/dev/null)" \
	"tape: $work/full: no spool can be made there: File too large"

# ---- the gatherer ----

run blocked timeout 60 env --block-signal=USR1 tape live sh -c 'exit 4'
ok "started with SIGUSR1 blocked: it ends" equal "$(cat blocked.rc)" 4
mkdir orphan
{
	sleep 0.5
	timeout 60 "$TAPE_BUILD/libexec/tape-gather" orphan 2>orphan.err
	echo $? >orphan.rc
} | true
ok "tape is killed before the gatherer says where it is: that ends, too" equal \
	"$(cat orphan.rc orphan.err)" "1
tape-gather: standard output: Broken pipe"
mkdir -p other/bin other/libexec
cp "$TAPE_BUILD"/bin/{tape,taperun,tapelive} other/bin
[ ! -e "$TAPE_BUILD/lib" ] || ln -s "$TAPE_BUILD/lib" other/lib
# gatherer NAME: a run of that tape, which has the variable of another one
gatherer()
{
	TAPE_GATHER=1:2:3 run "$1" timeout 60 other/bin/tape live \
		sh -c 'echo ${TAPE_GATHER-none}'
}
gatherer missing
ok "without tape-gather: that is said, and another run's is not used" equal \
	"$(cat missing.rc missing.out; head -n 1 missing.err)" "0
none
tape: $work/other/libexec/tape-gather: No such file or directory; processes on other hosts are not analysed"
printf '#!/bin/sh\nexit 1\n' >other/libexec/tape-gather
chmod +x other/libexec/tape-gather
gatherer silent
ok "one that says nothing: the same" equal \
	"$(cat silent.rc silent.out; head -n 1 silent.err)" "0
none
tape: tape-gather did not report its address; processes on other hosts are not analysed"

# ---- a window of the run is left as a trace ----

run window timeout 300 tape live --window 0.01,1000 --report run.html \
	mpirun -np 2 ./streamed rounds 60000
ok "--window: as alone" equal "$(cat window.rc; sort window.out)" \
	"$(cat plain.rc; sort plain.out)"
ok "the window is a trace, here" holds '^Not recorded: window = 0.01 to 1000 s' \
	<(tapestat window.tape)
ok "and so is the page" holds '<html' run.html
run again timeout 300 tape live --window 0.01,1000 mpirun -np 2 ./streamed \
	rounds 10
ok "one that is there stays, and nothing runs" equal \
	"$(cat again.rc again.out again.err)" "1
tape: window.tape exists already"
run again timeout 300 tape live --window 0, --trace ./window mpirun -np 2 \
	./streamed rounds 10
ok "that is said of a name without its ending, too" equal "$(cat again.err)" \
	"tape: ./window.tape exists already"
run named timeout 300 tape live --window=0, --trace sub --receivers 1 mpirun -np 2 \
	./streamed rounds 6000
ok "--trace names it, with its ending, in a job, too" holds ' 12000 .* MPI_Sendrecv' \
	<(tapestat -a sub.tape)
rm -rf window.tape
for c in "--window 2,1" "--window" "--trace x.tape" "--window=x" "-n x"; do
	run wrong tape live $c mpirun -np 2 ./streamed rounds 10
	ok "tape live $c: wrong use, and nothing runs" equal \
		"$(cat wrong.rc wrong.out)" 2
done

ok "no spool is left behind" equal "$(spools)" ""
ok "though there were some" holds '^tape-live\.' spools

# ---- a trace that will be gone is called by its program ----

# JSON, page, snapshots and warnings of one that is killed
build survive survive.c
run all timeout 300 tape live -a -j -i 0.1 --line-every 0.1 --history 1 \
	--report all.html mpirun -np 2 ./survive kill survive.n 9 40000
ok "in warnings, snapshots, JSON and the page, too" eval \
	"holds '^tapelive: survive: ' all.err &&
	holds '\"trace\":\"survive\"' all.err && lacks /dev/shm/tape all.err &&
	lacks /dev/shm/tape all.html && holds 'INCOMPLETE' all.html"
run job timeout 300 tape live --receivers 1 mpirun -np 2 ./streamed rounds 60000
ok "in a job, too" eval "holds '^streamed  2 ranks' job.err &&
	lacks /dev/shm/tape job.err"
run kept timeout 300 tape live --receivers 1 --keep mpirun -np 2 ./streamed rounds 600
kept=$(sed -n 's/.*the trace of streamed is //p' kept.err)
ok "one that is kept has its path" holds "^$kept  2 ranks" kept.err
[ -z "$kept" ] || rm -rf "${kept%/*}"
for c in "" "-m" "-m 0 mpirun ./streamed" "-m x mpirun ./streamed" "-o"; do
	run wrong tape live $c
	ok "tape live $c: wrong use" equal "$(cat wrong.rc wrong.out)" 2
done
finish
