#!/bin/bash
# Golden cases: tests/golden/TOOL/CASE/ holds traces as text (*.txt), a command
# (cmd) and what it prints, standard error included (out). Each trace x.txt is
# assembled into x.tape where the command runs. With -u, out is written anew.
# Truth: none; outputs that were looked at when their case was made, many of them
#   worked out by hand.
set -u
here=$(cd "$(dirname "$0")" && pwd)
update=0; [ "${1:-}" = -u ] && update=1
n=0 failed=0
export case

# model NS NS/BYTE [DC]: the option of tico or tapefit for a model of these times,
# at any distance
model()
{
	{
		echo "all eager 0 $1 $2"
		echo "all rendezvous 0 $1 $2"
		[ -z "${3:-}" ] || echo "all dc 0 ${3/:/ }"
	} >"$1.model"
	echo "-m $1.model"
}
export -f model
for cmd in "$here"/*/*/cmd; do
	case=${cmd%/cmd} name=${cmd#"$here"/}; name=${name%/cmd}
	work=$(mktemp -d) && cd "$work" || exit 1
	n=$((n + 1))
	for t in "$case"/*.txt; do
		[ ! -e "$t" ] || tapedump --assemble -o "$(basename "$t" .txt).tape" "$t"
	done >assemble.log 2>&1
	{ bash "$cmd"; echo "status $?"; } >out 2>&1
	[ $update -eq 0 ] || cp out "$case/out"
	if [ ! -s assemble.log ] && cmp -s out "$case/out"; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		cat assemble.log
		diff -u "$case/out" out | head -n 40
		failed=1
	fi
	cd / && rm -rf "$work"
done
echo "1..$n"
exit $failed
