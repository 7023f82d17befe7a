#!/bin/bash
# The sums of tapestat, by one process and by several, and of tapelive against a
# second summation of the events that shares no line with them
# (tests/rigs/sums/sums.py): times, calls, messages, waits.
# Truth: a second summation in another language.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc python3 tapelive
analysers=(mpirun -np 3 tapestat)

# agrees EVENTS TABLES: at least COUNT values are compared, and none differs
agrees()
{
	python3 "$TAPE_TOP/tests/rigs/sums/sums.py" "$1" "$2" >"$2.said" ||
		{ head -n 12 "$2.said"; return 1; }
	[ "$(sed -n 's/ values compared.*//p' "$2.said")" -ge "$3" ] ||
		{ cat "$2.said"; return 1; }
}

# a program, its ranks, and how many values there are to compare, at least
for p in "workers 3 60" "jacobi 4 90" "fft2d 4 70"; do
	read -r name ranks values <<<"$p"
	mpicc -O1 -g -o "$name" "$TAPE_TOP/examples/$name.c" -lm || exit
	run "$name" mpirun -np "$ranks" taperun -o "$name" "./$name"
	sba -o "$name.sba.tape" "$name.tape" >/dev/null
	tapedump -c "$name.sba.tape" | grep -v ',processor,' >"$name.csv"
	tapestat -j "$name.sba.tape" >"$name.json"
	ok "$name: tapestat" agrees "$name.csv" "$name.json" "$values"
	"${analysers[@]}" -j "$name.sba.tape" >"$name.jobs.json"
	ok "$name: tapestat by three processes" \
		agrees "$name.csv" "$name.jobs.json" "$values"
	timeout 100 tapelive --keep --wait 60 -j "$name.live.tape" \
		>"$name.live.json" 2>"$name.live.said" & pid=$!
	run "$name.live" timeout 100 mpirun -np "$ranks" taperun -s stream=node \
		-o "$name.live" "./$name"
	wait $pid
	sba -o "$name.live.sba.tape" "$name.live.tape" >/dev/null
	tapedump -c "$name.live.sba.tape" |
		grep -v ',processor,' >"$name.live.csv"
	ok "$name: tapelive" agrees "$name.live.csv" "$name.live.json" "$values"
done

# what is compared can differ: one event less, and one that took longer
sed '/MPI_Send/{x;/./{x;b};s/^/x/;x;d}' workers.csv >less.csv
ok "an event less is seen" equal "$(agrees less.csv workers.json 1; echo $?)" \
	"$(head -n 12 workers.json.said)
1"
ok "in calls, messages and ranks" equal "$(sed 's/:.*//' workers.json.said |
	sort -u | grep -cxE 'calls|messages|ranks')" 3
finish
