#!/bin/bash
# Every command: its common options, and its man page, whose SYNOPSIS is the
# usage that -h prints.
# Truth: the rules of CONTRIBUTING.md.
cd "${TAPE_TOP:?is set by tests/run}" || exit 1
. tests/lint/tap.bash

# Names of the commands. tapecc and tapefc take the options of compilers, whose
# -h and -V are their own: they are looked at for their pages only.
bin=$TAPE_BUILD/bin
[ -x "$bin/tapedump" ] || { echo "Bail out! $bin is not Tape's"; exit 1; }
commands=$(ls "$bin")
ours=$(grep -vxE "tape[cf]c" <<<"$commands")

# run PROGRAM ARG...: sets rc, files out and err
run()
{
	timeout 20 "$@" >"$work/out" 2>"$work/err" </dev/null
	rc=$?
}

for c in $ours; do
	run "$bin/$c" -h
	[ $rc -eq 0 ] && [ ! -s "$work/err" ] &&
		head -n 1 "$work/out" | grep -q "^usage: $c" ||
		echo "$c -h: status $rc: $(head -c 200 "$work/out" "$work/err")"
done | none "-h prints the usage on standard output, status 0"

for c in $ours; do
	run "$bin/$c" -V
	[ $rc -eq 0 ] && [ ! -s "$work/err" ] &&
		grep -qxE "$c [0-9]+(\.[0-9]+)+" "$work/out" ||
		echo "$c -V: status $rc: $(head -c 200 "$work/out" "$work/err")"
done | none "-V prints name and version on standard output, status 0"

for c in $ours; do
	run "$bin/$c" -@
	[ $rc -eq 2 ] && [ ! -s "$work/out" ] &&
		[ "$(wc -l <"$work/err")" -le 5 ] && [ -s "$work/err" ] ||
		echo "$c -@: status $rc: $(head -c 200 "$work/err")"
	run "$bin/$c"
	[ $rc -eq 2 ] && [ ! -s "$work/out" ] && [ -s "$work/err" ] ||
		[ "$c" = tapepp ] || # a filter: standard input is a source
		echo "$c: status $rc: $(head -c 200 "$work/err")"
done | none "wrong use prints a few lines on standard error, status 2"

for c in $ours; do
	case $c in tapepp | taperun | tapecal | tapeplat) continue ;; # they take no trace
	tapelive) continue ;; esac # it waits for one
	run "$bin/$c" "$work/nothing.tape"
	[ $rc -eq 1 ] && [ ! -s "$work/out" ] &&
		grep -q "^$c: .*nothing\.tape" "$work/err" ||
		echo "$c: status $rc: $(head -c 200 "$work/err")"
done | none "a trace that is not there is named on standard error, status 1"

# ---- man pages ----

page_of()
{
	git ls-files --cached --others --exclude-standard "*/$1.1" | head -n 1
}

# Words of the SYNOPSIS, and of the usage, on one line.
synopsis()
{
	MANWIDTH=1000 LC_ALL=C man -l "$1" 2>/dev/null | col -bx |
		sed -n '/^SYNOPSIS/,/^[A-Z]/{/^[A-Z]/!p}' | xargs -d '\n' |
		tr -s ' \t' '  ' | sed 's/^ //; s/ $//'
}

usage()
{
	"$bin/$1" -h </dev/null | sed -n '1s/^usage: //p; 2,${/^       /!q;p}' | xargs -d '\n' |
		tr -s ' \t' '  ' | sed 's/^ //; s/ $//'
}

if ! command -v man >/dev/null || ! command -v col >/dev/null; then
	skip "man pages" "man is missing"
	finish
fi
for c in $commands; do
	page=$(page_of "$c")
	{ [ -n "$page" ] || echo "no $c.1"; } | none "$c has a man page"
	[ -n "$page" ] || continue
	LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z \
		"$page" 2>&1 >/dev/null | none "$page: no warning from roff"
	for section in NAME SYNOPSIS DESCRIPTION; do
		grep -q "^\.SH $section" "$page" || echo "no $section"
	done | none "$page: has its sections"
	[[ $c == tape[cf]c ]] && continue
	{
		[ "$(synopsis "$page")" = "$(usage "$c")" ] ||
			printf 'page:  %s\nusage: %s\n' \
				"$(synopsis "$page")" "$(usage "$c")"
	} | none "$page: SYNOPSIS is the usage that -h prints"
done

for page in $(git ls-files --cached --others --exclude-standard \
	'*.5' '*.7' '*.3'); do
	LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z \
		"$page" 2>&1 >/dev/null | sed "s,^,$page: ,"
done | none "no warning from roff in the other pages"

finish
