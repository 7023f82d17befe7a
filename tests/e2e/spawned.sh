#!/bin/bash
# Processes that the program starts (spawned.c): they are traced wherever
# taperun stands, and their traces name the intercommunicator as that of the
# processes that started them does.
# Truth: the program without Tape; its own log of who started whom.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build spawned spawned.c

# Open MPI itself hangs now and then in a spawn on a busy machine: an untraced
# program that spawned twice did so in one of about 30 runs.
# job NAME COMMAND...: by "run NAME"; where it hangs, a traced run is tried once
# more, and one that is not traced (plain, alone) twice. Prints how often it hung.
job()
{
	local hung=0 tries=2

	case $1 in plain|alone) tries=3 ;; esac
	while run "$1" timeout 40 "${@:2}"; [ "$(cat "$1.rc")" = 124 ] &&
		[ $((++hung)) -lt $tries ]; do
		rm -rf "$1".tape "$1".*.tape counts long/*
	done
	echo "# $1 hung $hung times"
}
job plain mpirun -np 3 ./spawned

# the same as without Tape
as_alone()
{
	equal "$(cat "$1.rc"; sort "$1.out")" "$(cat plain.rc; sort plain.out)" &&
		equal "$(cat "$1.err")" ""
}

if [ "$MPI" = mpich ] && ! grep -q sent plain.out; then
	# Debian's MPICH cannot: "Error in spawn call"
	job traced mpirun -np 3 taperun ./spawned
	ok "a library that cannot spawn: the same outcome" equal \
		"$(cat traced.rc)" "$(cat plain.rc)"
	finish
fi

count=$TAPE_BUILD/rig/count
job behind mpirun -np 3 -x COUNTER_DIRECTORY="$work/counts" \
	taperun -o behind "$count" counts ./spawned
job before taperun -o before mpirun -np 3 ./spawned
job linked mpirun -np 3 -x TAPE_TRACE="$work/linked" \
	./spawned.linked
mv linked.out linked.said
sed 's/\.linked with/ with/' linked.said >linked.out
for way in behind before linked; do
	ok "$way: as without Tape" as_alone $way
	ok "$way: a trace for each job" equal "$(echo $way*.tape)" \
		"$way.2.tape $way.3.tape $way.4.tape $way.tape"
done

# The trace of the job that was started as NAME (A, B, G).
trace_of()
{
	grep -lE "^command .* $2\$" "$1".*.tape/meta | sed 's,/meta,,'
}
# spawns TRACE ID: the rank that was the root of that spawn
spawns()
{
	grep -l "^spawn $2 " "$1"/rank.* | sed 's/.*rank\.//'
}
links()
{
	local name child id parent

	for name in A B G; do
		child=$(trace_of "$1" $name)
		read -r _ id parent < <(grep ^spawned "$child/meta")
		parent=${parent##*/}
		echo "$name by $(sed -n 's/^command //p' "$parent/meta" |
			grep -oE '[AB]$' || echo P).$(spawns "$parent" "$id")" \
			"$(cat {"$parent","$child"}/rank.* | grep -c "^comm .* $id ")"
	done
}
for way in behind before linked; do
	ok "$way: who started whom, and all name the communicator" equal \
		"$(links $way)" "A by P.2 5
B by P.0 5
G by A.1 3"
done

# Each rank of each trace against the counter, by the process's number
counted_all()
{
	local t r pid missing=0

	for t in behind*.tape; do
		rm -rf counts.one
		mkdir counts.one
		for r in "$t"/rank.*; do
			pid=$(sed -n 's/^pid //p' "$r")
			mv counts/*."$pid" counts.one || missing=1
		done
		"$TAPE_BUILD/rig/counted" -a "$t" counts.one || missing=1
	done
	return $missing
}
ok "every call of every job is in its trace" counted_all

# shared RUN: how many identities the traces of which jobs have, but for those of
# MPI_COMM_WORLD and MPI_COMM_SELF
shared()
{
	local t name

	for t in "$1".tape "$1".[0-9].tape; do
		name=$(sed -n 's/^command //p' "$t/meta" |
			grep -oE ' [ABG]$')
		awk -v name="${name:- P}" '$1 == "comm" && length($3) > 4 {
			print $3 name }' "$t"/rank.* | sort -u
	done | sort | awk '{ of[$1] = of[$1] $2 }
		END { for (id in of) print of[id] }' | sort | uniq -c |
		awk '{ print $2, $1 }'
}
# Of each spawn: the communicator itself, its duplicate, the merged one, its two
# halves, and what is split from it. The odd half of A and G is A's alone, and so
# is P what the first processes split.
ok "only what both jobs of a spawn have made has one identity in both" equal \
	"$(shared behind)" "A 1
AG 5
AP 6
BP 6
P 1"

# ---- one trace of all ----

# messages_of RUN: tag, sender and receiver of all, as ranks of the joined trace
messages_of()
{
	local first t name

	while read -r _ first _ _ _ t; do
		name=$(sed -n 's/^command //p' "${t%,*}/meta" | grep -oE ' [ABG]$')
		echo "${name:- P} $first"
	done < <(sed -n 's/^ranks* \([0-9]*\) of/ranks \1 to \1 of/;
		s/^ranks \(.*\), spawned.*/ranks \1/; /^ranks/p' "$1.joined") |
		sort -u >first
	sed -n 's/^\([0-9]*\) \(sent\|received\) \(.\)\.\(.*\)/\1 \2 \3 \4/p' \
		"$1.out" | awk 'NR == FNR { first[$1] = $2; next }
		$2 == "sent" { from[$1] = first[$3] + $4 }
		$2 == "received" { to[$1] = first[$3] + $4 }
		END { for (t in from) print t, from[t], to[t] }' first - | sort
}
matched_of()
{
	tapedump --messages "$1" 2>/dev/null |
		awk -F, '/^matched/ { print $15, $2, $6 }' | sort
}
# with one file of the processes of a host; on two hosts with clocks of their own
job node mpirun -np 3 taperun -o node -s layout=node ./spawned
ways="behind before linked node"
hosts=$TAPE_TOP/tests/rigs/hosts.sh
if "$hosts" 0 100 -- true 2>reason; then
	cat >on_hosts <<'END'
#!/bin/sh
exec mpirun --mca plm_rsh_agent "$HOSTS_RSH" -H 10.87.0.1:4,10.87.0.2:4 \
	--map-by node --bind-to none --mca btl tcp,self -np 3 "$@"
END
	chmod +x on_hosts
	job far "$hosts" 0 100 -- ./on_hosts taperun -o far \
		-s clock=monotonic_raw ./spawned
	ways="$ways far"
else
	skip "jobs on two hosts" "root: $(cat reason)"
fi
for way in $ways; do
	tapejoin "$way.tape" >"$way.joined" 2>"$way.why"
	ok "$way: the first trace has the names of all" \
		equal "$(grep -c '^rank' "$way.joined"; cat "$way.why")" 4
	ok "$way: every message has both sides, of the right processes" \
		equal "$(matched_of "$way.joined.tape")" "$(messages_of "$way")"
	ok "$way: nothing is unmatched" equal \
		"$(tapedump --messages "$way.joined.tape" 2>/dev/null |
			grep -cE '^(unreceived|unsent)')" 0
done
ok "there are messages" [ "$(wc -l < <(messages_of behind))" -gt 100 ]
mkdir moved
cp -r behind*.tape moved
rm -rf moved/behind.joined.tape
ok "traces that were moved are found" \
	tapejoin -o moved/all.tape moved/behind.tape
ok "the result is the same" equal "$(tapedump --messages moved/all.tape 2>/dev/null)" \
	"$(tapedump --messages behind.joined.tape 2>/dev/null)"
ok "so it is in any order" tapejoin -o other.tape behind.4.tape \
	behind.2.tape behind.tape behind.3.tape
ok "the result is the same there" equal \
	"$(tapedump --messages other.tape 2>/dev/null)" \
	"$(tapedump --messages behind.joined.tape 2>/dev/null)"
sba -o s.tape behind.joined.tape >sba.out 2>&1
ok "sba takes it" holds '^causality +0 violations' sba.out
run tico tico -o t.tape s.tape
ok "so does tico" equal "$(cat tico.rc)" 0
who_by() { grep -h '^spawned ' "$1"/rank.*; }
ok "its result says who started whom, as the joined trace does" \
	equal "$(who_by t.tape)" "$(who_by behind.joined.tape)"
ok "that is five ranks" equal "$(who_by t.tape | wc -l)" 5
# started TRACE: of each child its rank, its first timestamp, and the beginning of the call
# that started it, by its root, which makes no other call of that name before it
started()
{
	{
		grep -H '^spawned ' "$1"/rank.* |
			sed 's/.*rank\.\([0-9]*\):spawned \([0-9]*\) .*/,\1,\2/'
		tapedump -c "$1" 2>/dev/null
	} | awk -F, '
		/^,/ { root[$2] = $3; next }
		!($3 in first) || $1 < first[$3] { first[$3] = $1 }
		!(($3, $5) in call) { call[$3, $5] = $1 }
		END {
			for (r in root) {
				name = "MPI_Comm_spawn" (root[r] ? "" : "_multiple")
				printf "%d %.0f %.0f\n", r, first[r], call[root[r], name]
			}
		}'
}
started t.tape >started
ok "no child in it is earlier than the call that started it" awk '
	{ print; n += $3 > 0 && $2 >= $3 }
	END { exit NR != 5 || n != 5 }' started
ok "collectives of several jobs are whole" \
	lacks 'open collectives|partner missing|unmatched' tico.out
job by_tape tape run -o by_tape mpirun -np 3 ./spawned
sed '/^ranks* [0-9]/d' by_tape.err >by_tape.report
ok "tape run: as without Tape" equal "$(cat by_tape.rc; sort by_tape.out)" \
	"$(cat plain.rc; sort plain.out)"
ok "tape run: its report is of the joined trace" equal \
	"$(grep -oE '^by_tape[a-z0-9.]*  8 ranks' by_tape.report)" \
	"by_tape.joined.tico.tape  8 ranks"
ok "tape run: that has both sides of every message" equal \
	"$(matched_of by_tape.joined.tape | cut -d' ' -f1)" \
	"$(messages_of behind | cut -d' ' -f1)"
# the place of a child's trace has another one by now
mkdir later
cp -r behind.tape behind.2.tape behind.3.tape behind.4.tape later
rm -rf later/behind.3.tape
cp -r before.tape later/behind.3.tape
run later tapejoin later/behind.tape
ok "another trace in the place of a child's is left out" equal \
	"$(cat later.rc; grep -c '^rank' later.out)" $'0\n3'
ok "that is said, too" holds 'does not belong to the job' later.err
refused()
{
	run refused tapejoin -o refused.tape "$@"
	equal "$(cat refused.rc) $(ls -d refused.tape* 2>/dev/null)" "1 "
}
ok "traces that have nothing to do with each other are refused" \
	refused behind.tape before.tape
ok "that is said" holds 'no job of the other traces spawned it' refused.err
ok "a trace alone is refused" refused "$(trace_of behind G)"
ok "one in global time is refused" refused s.tape behind.tape
ok "one that was joined is refused" refused behind.joined.tape behind.2.tape

# ---- where it cannot be ----

mkdir long
long=$work/long/$(printf '%0200d' 0)
job long mpirun -np 3 taperun -o "$long" ./spawned
sed 's/^tape: .*//' long.err >long.said
ok "names too long for an info: as without Tape" equal \
	"$(cat long.rc; sort long.out)" "$(cat plain.rc; sort plain.out)"
ok "one line says that what is started is not traced" equal \
	"$(grep -c '^tape: MPI_Comm_spawn: .* too long for an info' long.err)" 2
job deaf mpirun -np 3 taperun -o deaf -s groups=p2p ./spawned
ok "calls that are not recorded link the traces as well" equal \
	"$(grep -h ^spawned deaf.*.tape/meta | wc -l)" 3

# ---- Fortran ----

if command -v mpifort >/dev/null; then
	for f in '' -DF08; do
		mpifort $f -O1 -o fortran$f "$here/spawned_fortran.F90" ||
			continue
		job alone mpirun -np 2 ./fortran$f
		job f$f mpirun -np 2 taperun -o f$f ./fortran$f
		ok "Fortran $f: as without Tape" equal \
			"$(cat f$f.rc; sort f$f.out)" "$(cat alone.rc; sort alone.out)"
		ok "Fortran $f: both are linked" equal "$(
			cat f$f.tape/rank.1 f$f.tape/rank.0 |
				awk '$1 == "spawn" { print $2 }' | sort)" "$(
			cat f$f.[0-9]*.tape/meta |
				awk '$1 == "spawned" { print $2 }' | sort)"
	done
fi
finish
