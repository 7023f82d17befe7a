#!/bin/bash
# The documents: what they link to and name is there, and the outputs that they
# show of golden cases are those of the cases.
# Truth: the rules of CONTRIBUTING.md.
cd "${TAPE_TOP:?is set by tests/run}" || exit 1
. tests/lint/tap.bash
shopt -s nullglob
documents=(README.md CONTRIBUTING.md doc/*.md)

for f in "${documents[@]}"; do
	grep -oE '\]\([^)#:]+' "$f" | cut -c3- | sort -u | while read -r to; do
		[ -e "$(dirname "$f")/$to" ] || [ -e "$to" ] || echo "$f: $to"
	done
done | none "links lead to files"

# `folder/file`, wildcards included; capitals stand for any name
folders=$(printf '%s|' */); folders=${folders//\//}
for f in "${documents[@]}"; do
	grep -oE '`('"${folders%|}"')/[^ `]*`' "$f" | tr -d '`' | sort -u |
		grep -vE '[A-Z]{2}|\{|^build/' | while read -r path; do
		found=($path)
		[ -e "${found[0]:-}" ] || echo "$f: $path"
	done
done | none "files that documents name are there"

# Each folder has a row in the table of modules, and each row its folder: in
# "`a/`, with `b/`" the second is inside of the first.
awk '/^\| folder \| contents/ { on = 1; next } on && !/^\|/ { exit } on' \
	doc/architecture.md | awk -F'|' '{
	n = split($2, part, "`")
	for (i = 2; i <= n; i += 2) {
		if (part[i - 1] ~ /with/)
			inside = first
		print inside part[i]
		first = part[i]
	}
	inside = ""
}' | sed 's|/$||' | sort -u >"$work/rows"
git ls-files -co --exclude-standard | grep / | sed 's|/[^/]*$||' |
	grep -vE '^\.|^(lib|tests|tools)$|^tests/(golden|fuzz)/|^tests/(rigs/smpi/programs|rigs/sums)$' |
	sort -u | while read -r f; do [ -d "$f" ] && echo "$f"; done >"$work/tree"
{ [ "$(wc -l <"$work/tree")" -gt 60 ] || wc -l <"$work/tree"; } |
	none "folders are found"
comm -13 "$work/rows" "$work/tree" | none "each folder has a row in architecture.md"
while read -r f; do
	[ -d "$f" ] || echo "$f"
done <"$work/rows" | none "each row of architecture.md is a folder"

# `name()` in `file`, also with a line break between them
for f in "${documents[@]}"; do
	tr -s ' \n' ' ' <"$f" | grep -oE '`[A-Za-z_]+\(\)` in `[^`]*`' |
		tr -d '`()' | while read -r name _ file; do
		grep -qw -- "$name" "$file" 2>/dev/null ||
			echo "$f: no $name in $file"
	done
done | none "functions are in the files that documents name"

# Below a line that ends in "(`tests/golden/TOOL/CASE`):" the next block of
# indented lines is from its out; "..." stands for what is left out.
shown=0
for f in "${documents[@]}"; do
	awk '
		/\(`tests\/golden\/[^`]*`.*\):$/ {
			match($0, /tests\/golden\/[^`]*/)
			at = substr($0, RSTART, RLENGTH)
			next
		}
		at && /^    / { print at "\t" substr($0, 5); inside = 1; next }
		at && inside && !/^$/ { at = ""; inside = 0 }' "$f" |
		while IFS=$'\t' read -r at line; do
			shown=$((shown + 1))
			[[ $line == '$ '* || $line == ... ]] && continue
			grep -qF -- "${line%...}" "$at/out" || echo "$f: $at: $line"
		done
done >"$work/wrong"
[ "$shown" -ge 3 ] || echo "only $shown lines found" >>"$work/wrong"
none "what is shown of a golden case is its output" <"$work/wrong"

# Labels of report lines: words, and two blanks behind them. The man pages of the
# tools explain them; those of a model's test are in tapefit's.
cat tests/golden/{sba,tico}/*/out tests/golden/tapedump/{summary,counted}/out |
	grep -E '^ {0,2}[a-z][A-Za-z]*( [A-Za-z,:]+)*  ' |
	grep -vE '^ *(rank|shm|net)' | sed -E 's/^ *//; s/  .*//; s/[,:]$//' | sort -u >"$work/labels"
cat tools/{sba/sba,tico/tico,tapedump/tapedump,tapefit/tapefit}.1 |
	sed -E 's/^\.[A-Z]+ //; s/\\f.//g; s/\\//g; s/[",]//g' | tr -s ' \n' '  ' >"$work/pages"
{
	[ "$(wc -l <"$work/labels")" -ge 30 ] || echo "too few labels are found"
	while read -r label; do
		grep -qwF -- "$label" "$work/pages" || echo "$label"
	done <"$work/labels"
} | none "each line of a report is explained in the man page of its tool"

# Each record that a flow may hold is in the description of traces.
awk '/^[0-9]/ { print $1 }' catalogue/records.tab >"$work/codes"
awk -F'|' '/^\| code \|/ { on = 1; next } !/^\|/ { on = 0 } on { print $2 }' \
	doc/trace-format.md | grep -oE '[0-9]+( \+ 2 s|)' | grep -oE '^[0-9]+' |
	sort -n | diff "$work/codes" - |
	none "trace-format.md has a row for each code of records.tab"

# All documents and man pages together: each fact is in one of them. Who adds a
# paragraph looks for the page that has the fact already.
most=62600
if git rev-parse --git-dir >/dev/null 2>&1; then
	words=$(git ls-files -co --exclude-standard README.md CONTRIBUTING.md \
		'doc/*.md' tests/fuzz/README.md '*.[1357]' |
		while IFS= read -r f; do [ ! -f "$f" ] || cat "$f"; done | wc -w)
	{ [ "$words" -le $most ] || echo "$words words"; } |
		none "the documents have $most words at most"
else
	skip "words of all documents" "git is missing, or this is no clone"
fi

finish
