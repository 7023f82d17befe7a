#!/bin/bash
# Replays the corpus of each fuzz target under the sanitizers, and damages a
# whole trace in many ways. Needs no clang and no MPI.
# Truth: no crash, no hang, of mutated inputs.
here=${TAPE_TOP:?is set by tests/run}/tests/fuzz
: "${TAPE_BUILD:?is set by tests/run}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1
n=0
ok()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	sed 's/^/# /' "$work/log" | tail -n 40
}

# whole traces of the golden cases, and those of the corpus, are for actions, too
golden=
for case in persistent windows; do
	"$TAPE_BUILD/bin/tapedump" --assemble -o "$work/$case.tape" \
		"$here/../golden/t2ti/$case/run.txt" &&
		"$TAPE_BUILD/fuzz/pack" "$work/$case.tape" >"$work/$case" &&
		golden="$golden $work/$case"
done

for target in flow trace followed analyse actions reroute fortran network; do
	more=()
	[ $target != followed ] || more=("$here"/corpus/trace/*)
	[ $target != actions ] || more=("$here"/corpus/trace/* $golden)
	"$TAPE_BUILD/fuzz/replay-$target" $(ls -d "$here/corpus/$target"/* 2>/dev/null) \
		"${more[@]}" \
		>"$work/out" 2>"$work/log"
	ok $? "$target: $(cat "$work/out")"
done

# what the rest relies on: a finding ends a target with a failure
printf '\003\365\372a' >"$work/input"
FUZZ_SELF_TEST=1 "$TAPE_BUILD/fuzz/replay-flow" "$work/input" \
	>"$work/log" 2>&1
[ $? -ne 0 ] && grep -q 'runtime error\|AddressSanitizer' "$work/log"
ok $? "a read beyond the input would be found"

"$TAPE_BUILD/bin/tapedump" --assemble -o "$work/sample.tape" "$here/sample.txt" 2>"$work/log"
ok $? "the sample trace is put together"
"$TAPE_BUILD/fuzz/damage" "$work/sample.tape" >"$work/out" 2>"$work/log"
rc=$?
while IFS= read -r line; do
	case $line in
	"ok "* | "not ok "*)
		n=$((n + 1))
		echo "${line%%ok *}ok $n - ${line#* - }" ;;
	"# "*) echo "$line" ;;
	esac
done <"$work/out"
ok $rc "no damage ends the reader"
echo "1..$n"
