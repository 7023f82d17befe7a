#!/bin/bash
# Programs that make every call of the catalogue in ordinary and odd ways
# (conform*.c): the same results with and without Tape, and every call they
# made is in the trace.
# Truth: the program without Tape; its own count of calls.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
# Has the library's mpi.h that function?
has() { grep -qw "TAPE_HAS_$1" "$TAPE_BUILD/gen/tape_has_$MPI.h"; }

# The same program through the source door: what the macros of conform.h hide
# stands there in full, for tapepp.
source_too()
{
	local file

	mkdir -p source
	for file in conform.h "$1.c"; do
		sed 's/^#include </@&/' "$here/$file" >"source/$file"
	done
	cpp -P "source/$1.c" | sed 's/^@//' >"source/$1.full.c" &&
		tapecc -g -w -o "$1.source" "source/$1.full.c" \
			2>"$1.reports" && return
	echo "Bail out! $1.c does not compile with tapecc"
	exit 1
}

for program in conform conform_local conform_windows conform_files \
	conform_processes; do
	build $program $program.c
done

# What the program counted, RANK CALL N a line. MPI_Pcontrol is no event: it
# switches tracing.
counted()
{
	local r

	for ((r = 0; r < $2; r++)); do
		awk -v r="$r" '$1 != "MPI_Pcontrol" { print r, $1, $2 }' "$1.$r"
	done | grep -vE "$macros" | sort
}

# Calls that are none: macros of mpi.h.
macros='MPI_Aint_(add|diff) '
[ "$MPI" != mpich ] ||
	macros='MPI_(Comm|Type|Group|Win|Request|Op|Info|Message|Errhandler)_(c2f|f2c) '


# The same, from the trace's JSON lines, but for the mark of MPI_Pcontrol(2).
traced()
{
	tapedump -j "$1" | awk '
		function value(key,   at, s) {
			at = index($0, "\"" key "\":")
			if (!at)
				return ""
			s = substr($0, at + length(key) + 3)
			gsub(/^"/, "", s)
			sub(/[",}].*/, "", s)
			return s
		}
		value("call") == "block" && value("of") != "" {
			n[value("rank") " " value("of")] += value("calls")
		}
		value("call") != "" && value("call") != "block" {
			n[value("rank") " " value("call")] += \
				value("polls") == "" ? 1 : value("polls")
			if (value("also_polls") != "")
				n[value("rank") " " value("also_call")] += \
					value("also_polls")
		}
		END { for (k in n) print k, n[k] }' |
		grep -vE ' (enter|leave|processor) ' | sort
}

# The same, summed over ranks, from the summary and the program's counts.
summary()
{
	tapedump -i "$1" | awk '$1 ~ /^MPI_/ { print $1, $3 }' | sort
}

over_ranks() { awk '{ n[$2] += $3 } END { for (k in n) print k, n[k] }' | sort; }

every_call()
{
	counted "$1" "$2" >"$1.counted"
	[ -s "$1.counted" ] && traced "$1.tape" | same "$1.counted" - &&
		summary "$1.tape" |
			same <(over_ranks <"$1.counted") -
}

in_order()
{
	local r

	for ((r = 0; r < $2; r++)); do
		equal "$(end_of "$1.tape" "$r")" "finalize 0" || return
	done
}

# sba and tico end well, have nothing to say on standard error, and find who
# sent what to whom: at least so many messages of a rank are received outside
# of errors.
accepted()
{
	run "$1.sba" sba -o "$1.sba.tape" "$1.tape"
	run "$1.tico" tico -o "$1.tico.tape" "$1.sba.tape"
	equal "$(cat "$1.sba.rc" "$1.tico.rc" "$1.sba.err" "$1.tico.err")" \
		$'0\n0' && holds ' 0 violations before.* 0 after' "$1.sba.out" &&
		[ "$(awk '$1 == "messages" { print $2 }' "$1.sba.out")" -ge \
			$(($3 * $2)) ] &&
		tapedump "$1.tico.tape" >"$1.text"
}

# MESSAGES at least of a rank, that sba finds in the traces of PROGRAM with N
conforms()
{
	local program=$1 n=$2 least=$3 plain=$1.$2.plain door name

	run "$plain" mpirun -np "$n" "./$program" "$plain"
	ok "$program, $n ranks: the program itself succeeds" \
		equal "$(cat "$plain.rc")" 0
	for door in $doors; do
		[ $door = preload ] || [ -e "$program.$door" ] || continue
		name=$program.$n.$door
		if [ $door = preload ]; then
			run "$name" mpirun -np "$n" taperun -o "$name.tape" \
				"./$program" "$name"
		else
			TAPE_TRACE=$name.tape run "$name" \
				mpirun -np "$n" "./$program.$door" "$name"
		fi
		ok "$program, $n ranks, $door: same results" \
			alike "$plain" "$name"
		ok "$program, $n ranks, $door: no word from Tape" \
			lacks '^tape: ' "$name.err"
		ok "$program, $n ranks, $door: every call is in the trace" \
			every_call "$name" "$n"
		ok "$program, $n ranks, $door: every flow ends in order" \
			in_order "$name" "$n"
		ok "$program, $n ranks, $door: sba, tico and tapedump read it" \
			accepted "$name" "$n" "$least"
	done
}

# MPICH sends nothing to itself before there is a receive, and need not be
# asked everything twice
doors="preload linked source" each="1 2 3 4" some="2 3"
[ "$MPI" != mpich ] || { each="2 3" some=3; }
[ -n "${ALL:-}" ] || {
	each="2 3" some=3
	[ "$MPI" != mpich ] || doors=preload
}
for n in $each; do
	conforms conform "$n" 150
done
conforms conform_local 2 0
for n in $some; do
	conforms conform_windows "$n" 0
	conforms conform_files "$n" 0
	conforms conform_processes "$n" 0
done

# What came with MPI-4, where the library has it.
for program in new:MPI_Bcast_init large:MPI_Send_c session:MPI_Session_init; do
	has "${program#*:}" || continue
	program=conform_${program%:*}
	build $program $program.c
	source_too $program
	conforms $program 2 2
	conforms $program 3 2
done

# What the trace calls them: "comm INDEX ..." and later names.
named() { grep -h "^name " "$1.tape/rank.0" | cut -d' ' -f3 | paste -sd' '; }
ok "names of communicators and windows are in the trace" equal \
	"$(named conform_local.2.preload) $(named conform_windows.3.preload)" \
	"ours%20alone eight%20numbers"
ok "files and windows have theirs from the start" holds \
	'^comm [0-9]+ [0-9a-f]+ 3 0 file%20conform.data$' \
	conform_files.3.preload.tape/rank.0
# A catalogue that grew is programs that have to grow.
# What an MPI library cannot do is not called either.
uncalled()
{
	local broken=nothing

	[ "$MPI" != mpich ] || broken='MPI_(Comm_(spawn(_multiple)?|join|accept|connect|disconnect|get_parent)|(Open|Close)_port|(Publish|Unpublish|Lookup)_name)'
	cat ./*.preload.counted | cut -d' ' -f2 | sort -u >called
	"$TAPE_BUILD/mkcatalogue" list "$TAPE_TOP/catalogue" |
		awk '$2 ~ /^MPI_/ { print $2, / not_everywhere/ }' |
		while read -r call some; do
			[ "$some" = 0 ] || has "$call" || continue
			echo "$call"
		done | grep -vxE 'MPI_(Abort|Init_thread|Pcontrol)' |
		grep -vxE "$broken|${macros% }" | sort -u |
		comm -13 called -
}
ok "the programs call everything of the catalogue" equal "$(uncalled)" ""
finish
