#!/bin/bash
# Pages of 64 KiB, as some machines have them: the tracer takes the size from
# the system, wherever it matters - files of flows and hosts, copies of the
# process, files that shrink, separate stacks. A preloaded library
# (large_pages.c) answers for such a machine.
# Truth: the program without Tape; its own count of calls; the rules of mmap,
#   munmap, mprotect, madvise and fallocate about addresses and offsets.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc gcc
for name in survive survive_more survive_stack; do
	mpicc -O1 -g -w -rdynamic -o $name "$here/$name.c" -ldl -lpthread || {
		echo "Bail out! $name.c does not compile"
		exit 1
	}
done
gcc -D_GNU_SOURCE -O1 -Wall -Wextra -shared -fPIC -o large_pages.so \
	"$here/large_pages.c" -ldl || {
	echo "Bail out! large_pages.c does not compile"
	exit 1
}
large=(env LD_PRELOAD="$work/large_pages.so")
count() { od -An -tu8 "$1" | tr -d ' '; }

# pair NAME RANKS SETTING PROGRAM MODE ARGUMENT...: both with large pages,
# without Tape and with it
pair()
{
	local name=$1 ranks=$2 setting=$3 program=$4 mode=$5

	shift 5
	run "$name.plain" mpirun -np "$ranks" "${large[@]}" \
		"./$program" $mode "$name.plain.n" "$@"
	run "$name" mpirun -np "$ranks" "${large[@]}" LARGE_PAGES="$name.asked" \
		taperun -s window=1 -s "$setting" -o "$name.tape" \
		"./$program" $mode "$name.n" "$@"
}
# right NAME: the tracer asked, and no call was refused
right()
{
	holds '^asked$' "$1.asked" && lacks '^refused' "$1.asked"
}
whole()
{
	local r=0

	equal "$(cat "$1.rc")" 0 && same_output "$1.plain" "$1" &&
		lacks '^tape: ' "$1.err" || return
	for ((r = 0; r < $2; r++)); do
		equal "$r $(events "$1.tape" $r) $(end_of "$1.tape" $r)" \
			"$r $(count "$1.n.$r") finalize 0" || return
	done
}

pair files 1 layout=rank survive_more plain 300000
ok "the file of a rank, several windows: every call is there" whole files 1
ok "its calls of the system are right" right files
pair node 3 layout=node survive plain 3000
ok "a file of three ranks: every call is there" whole node 3
ok "its calls of the system are right" right node
pair fork 1 layout=rank survive_more fork 1000
ok "children that nobody announced: only the parent's calls are there" \
	whole fork 1
ok "its calls of the system are right" right fork
pair cut 1 layout=rank survive_more cut "$work/cut.tape" 60000
lost()
{
	same_output cut.plain cut &&
		equal "$(grep -c '^tape: rank 0: tracing stopped after .* because the trace file was truncated or its disk is full' cut.err)" 1
}
ok "a flow that somebody cuts: one line, the program lives on" lost
ok "its calls of the system are right" right cut
pair deep 1 layout=rank survive_stack ""
shallow()
{
	sort -o deep.plain.n deep.plain.n
	sort -o deep.n deep.n
	equal "$(cat deep.rc)" 0 && join deep.plain.n deep.n | awk '
		$3 - $2 > 1024 { print $1, $2, "without,", $3; bad = 1 }
		END { exit bad || NR != 7 }'
}
ok "small stacks: first uses take less than 1 KiB more of them" shallow
ok "its calls of the system are right" right deep
finish
