#!/bin/bash
# The licence: it covers every folder of the tree, once; its texts are whole;
# what is installed has it; and what is BSD-3-Clause is linked with no GPL.
# Truth: the rules of CONTRIBUTING.md.
n=0 failed=0
ok() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"; failed=1
	[ ! -s "$log" ] || sed 's/^/# /' "$log"
}
log=$(mktemp) || exit 1
trap 'rm -rf "$log" "$log.d"' EXIT
cd "${TAPE_TOP:?}" || exit 1

folders=$(git ls-tree -d --name-only HEAD 2>/dev/null | grep -vE '^(LICENSES|\..*)$')
[ -n "$folders" ] || folders=$(ls -d */ | tr -d / | grep -vE '^(LICENSES|build.*)$')
for f in $folders; do
	[ "$(grep -oE "(^|[ ])$f/( |\$)" LICENSE | wc -l)" -eq 1 ] || echo "$f"
done >"$log"
[ -s LICENSE ] && [ ! -s "$log" ]
ok $? "LICENSE says of each folder once which licence it has"

: >"$log"
for text in $(grep -oE '(BSD-3-Clause|GPL-3.0-or-later)' LICENSE | sort -u); do
	[ -s "LICENSES/$text.txt" ] || echo "no LICENSES/$text.txt"
done >"$log"
official=/usr/share/common-licenses/GPL-3
[ ! -e $official ] || cmp $official LICENSES/GPL-3.0-or-later.txt >>"$log"
[ "$(wc -l <LICENSES/GPL-3.0-or-later.txt)" -ge 600 ] || echo short >>"$log"
[ ! -s "$log" ]
ok $? "the texts of the licences are there, and whole"

# the objects of the permissive part refer to nothing of GSL or libdw
for lib in "$TAPE_BUILD"/lib/*.so "$TAPE_BUILD"/lib/*.a; do
	[ -e "$lib" ] || continue
	nm -u "$lib" 2>/dev/null | grep -E ' (gsl|dw(arf|fl)?|elf|lua)_' |
		sed "s|^|${lib##*/}: |"
done | head -n 5 >"$log"
[ ! -s "$log" ]
ok $? "libraries for the programs of others are linked with no GPL"

make -n install B="$TAPE_BUILD" DESTDIR="$log.d" PREFIX=/usr 2>/dev/null |
	grep -E 'share/doc/tape' >"$log"
grep -q 'LICENSE' "$log" && grep -q 'LICENSES/GPL-3.0' "$log" &&
	grep -q 'LICENSES/BSD-3' "$log"
ok $? "make install puts them in"
echo "1..$n"
exit $failed
