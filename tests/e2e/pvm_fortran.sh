#!/bin/bash
# Programs of PVM in Fortran: compiled by tapefc, without debug information, the
# call sites are those of the source; the output is that without Tape, and the
# events are those of the preload door. There, and behind the link door, the
# sites are where the program calls PVM's library for Fortran, not in that.
# Truth: the program without Tape; lines of the source.
. "$(dirname "$0")/pvm.bash"
need jq
needs_pvm gfortran
lib=$TAPE_BUILD/lib
[ -e "$lib/libtape-pvm.so" ] || needs_pvm libtape-pvm.so
libraries=(-lfpvm3 -lgpvm3 -lpvm3)
options=(-O1 -w -fallow-argument-mismatch -I/usr/include)
cp "$TAPE_TOP/examples/pvm/jacobi.f" .
gfortran "${options[@]}" -o plain jacobi.f "${libraries[@]}" 2>log || {
	grep -q fpvm3 log && skip "pvm_fortran" "pvm libfpvm3.a is missing" &&
		finish
	cat log
	exit 1
}
cp plain preloaded

# Of all tasks: which of them is which in the group is chance. Without dates,
# and what is another one in each virtual machine: of roots, which are tids, only
# whether there is one.
events()
{
	tapedump -j "$1" 2>/dev/null | jq -c 'select(.call and .call != "processor") | [.call, .tag,
		.actual_tag, .bytes, .comm, .root != null]' | sort
}
sites() { sed -n 's/^site [0-9]* //p' "$1"/rank.$2 | sort -u; }
jacobi() { pvm_machine "$@" 3 -n 24 -i 20; }

tapefc "${options[@]}" -o source jacobi.f "${libraries[@]}" 2>reports
ok "tapefc compiles it, without a word" equal "$? $(cat reports)" "0 "
ok "no MPI comes with it" lacks 'lib(mpi|tape-mpi)' <(ldd source)
run plain jacobi "$work/plain"
run preloaded jacobi taperun "$work/preloaded"
run source jacobi "$work/source"
ok "the program runs" holds ' 3 ranks, 20 iterations: checked$' plain.out
ok "source: the output is that without Tape" same plain.out source.out
ok "preload: the output is that without Tape" same plain.out preloaded.out
events preloaded.tape >preloaded.events
events source.tape >source.events
# of three tasks 20 times 2 shifts and a reduction
ok "there are events" [ "$(wc -l <source.events)" -gt 400 ]
ok "they are those of the preload door" same preloaded.events source.events
ok "no call is known by its address" \
	lacks '^address' <(cat source.tape/rank.*)

# line NUMBER of each call in the source, and the procedure that is next above
awk '{ low = tolower($0) }
	low ~ /^[c!]/ { next }
	match(low, /(subroutine|function|program) +[a-z_]+/) && low !~ /^ *end/ {
		split(substr(low, RSTART, RLENGTH), w, / +/); unit = w[2] }
	match(low, /call pvmf[a-z]+/) {
		print FNR, "jacobi.f", unit }' jacobi.f | sort -u >lines
ok "calls are found in the source" [ "$(wc -l <lines)" -gt 25 ]
sites source.tape '?' | cut -d' ' -f2- | sort -u >seen
ok "all sites are such lines" equal "$(comm -13 lines seen)" ""
ok "nearly all such lines are sites" equal "$(comm -23 lines seen |
	cut -d' ' -f3 | sort | uniq -c | tr -s ' ')" " 1 jacobi
 2 open_team"
ok "a call that may be one of many is the one it is" equal \
	"$(sites source.tape '?' | grep -E ' (76|80) ')" "903 76 jacobi.f reduce
923 80 jacobi.f reduce"

# PVM in archives
tapefc "${options[@]}" -o static jacobi.f -lfpvm3 -l:libgpvm3.a -l:libpvm3.a \
	-ltirpc 2>reports
run static jacobi "$work/static"
ok "static: the output is that without Tape" same plain.out static.out
events static.tape >static.events
ok "static: the events are the same" same source.events static.events
ok "static: the sites are the same" same <(sites source.tape '?') \
	<(sites static.tape '?')

# ---- by address: past the functions of libfpvm3 ----

# calls TRACE: each call of the program with its procedure and line
calls()
{
	tapedump -j "$1" 2>/dev/null | jq -r 'select(.call and .call != "processor") | [.call,
		.function // "?", .line // 0, .file // "?"] | join(" ")' |
		sed -E 's/ [^ ]*jacobi\.f$/ jacobi.f/' | sort -u
}
# agree TRACE: with the source door, but that a call of several lines may be
# taken for one on its last
agree()
{
	calls source.tape >said
	calls "$1" >found
	equal "$(wc -l <found)" "$(wc -l <said)" &&
		equal "$(paste -d' ' said found | awk '$1 != $5 || $2 != $6 ||
			$7 < $3 || $7 > $3 + 2 || $4 != $8')" ""
}
for o in 0 2; do
	gfortran -g "${options[@]}" -O$o -o debug$o jacobi.f "${libraries[@]}"
	run debug$o jacobi taperun "$work/debug$o"
	ok "preload, -O$o: the output is that without Tape" \
		same plain.out debug$o.out
	ok "preload, -O$o: the sites are those of the source door" \
		agree debug$o.tape
done
gfortran -g "${options[@]}" -o linked jacobi.f -L"$lib" -Wl,-rpath,"$lib" \
	-lfpvm3 -ltape-pvm -lgpvm3 -lpvm3
# objects that were not compiled by tapefc, linked by it
gfortran -g "${options[@]}" -c jacobi.f
tapefc -o relinked jacobi.o "${libraries[@]}"
gfortran -g "${options[@]}" -o archives jacobi.f -L"$lib" -lfpvm3 \
	@"$lib/libtape-pvm.link"
for how in linked relinked archives; do
	run $how jacobi "$work/$how"
	ok "$how: the output is that without Tape" same plain.out $how.out
	ok "$how: the sites are those of the source door" agree $how.tape
done
cp debug2 stripped && strip stripped
run stripped jacobi taperun "$work/stripped"
ok "stripped: the output is that without Tape" same plain.out stripped.out
events stripped.tape >stripped.events
ok "stripped: the events are the same" same source.events stripped.events
finish
