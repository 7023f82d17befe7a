#!/bin/bash
# Modules do not include one another in a circle, and no two headers have one
# name: which of them is meant would depend on the order of folders. A module is
# X.c and X.h of one folder.
# Truth: the rules of CONTRIBUTING.md.
cd "${TAPE_TOP:?is set by tests/run}" || exit 1
. tests/lint/tap.bash

git rev-parse --git-dir >/dev/null 2>&1 || {
	skip "includes" "git is missing, or this is no clone"
	finish
}
git ls-files -co --exclude-standard '*.[ch]' | grep -v '^tests/fuzz/corpus/' |
	while IFS= read -r f; do [ -f "$f" ] && printf '%s\n' "$f"; done \
		>"$work/files"
grep '\.h$' "$work/files" >"$work/headers"

# Pairs of modules, folder and name, of which the first includes the second:
# of headers of that name the one in the same folder, else all.
pairs()
{
	xargs grep -H '^#include "' <"$work/files" |
		sed 's|:#include "\(.*\)".*| \1|' | awk '
	FILENAME != "-" {
		name = $1
		sub(/.*\//, "", name)
		all[name] = all[name] " " $1
		there[$1] = 1
		next
	}
	{
		folder = $1
		sub(/[^\/]*$/, "", folder)
		k = 1
		if ((folder $2) in there)
			to[1] = folder $2
		else
			k = split(all[$2], to, " ")
		from = $1
		sub(/\.[ch]$/, "", from)
		for (i = 1; i <= k; i++) {
			sub(/\.h$/, "", to[i])
			if (to[i] != from)
				print from, to[i]
		}
	}' "$work/headers" - | sort -u
}

# What is left when modules that include nothing left, or that nothing left
# includes, are taken away again and again: circles, and what is between them.
circles()
{
	awk '{ n++; from[n] = $1; to[n] = $2 }
	END {
		do {
			changed = 0
			split("", out)
			split("", in_)
			for (i = 1; i <= n; i++)
				if (!(i in gone)) {
					out[from[i]] = 1
					in_[to[i]] = 1
				}
			for (i = 1; i <= n; i++)
				if (!(i in gone) &&
				    (!(to[i] in out) || !(from[i] in in_))) {
					gone[i] = 1
					changed = 1
				}
		} while (changed)
		for (i = 1; i <= n; i++)
			if (!(i in gone))
				print from[i] " includes " to[i]
	}'
}

{ printf 'a b\nb a\nb c\nd a\n' | circles | grep -q 'b includes a' ||
	echo "a includes b, b includes a"; } | none "a circle would be seen"
pairs >"$work/pairs"
{ [ "$(wc -l <"$work/pairs")" -gt 200 ] || wc -l <"$work/pairs"; } |
	none "what modules include is found"
circles <"$work/pairs" |
	none "no modules include one another in a circle"
sed 's|.*/||' "$work/headers" | sort | uniq -d | while read -r name; do
	echo "$name: $(grep -E "(^|/)$name\$" "$work/headers" | xargs)"
done | none "each header has a name of its own"
finish
