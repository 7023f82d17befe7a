#!/bin/bash
# Words that the glossary forbids, in names, comments, printed texts and documents
# of the product. The glossary's second table has each word as a pattern, where it
# is looked for, and the word of the field.
# Truth: the rules of CONTRIBUTING.md.
cd "${TAPE_TOP:?is set by tests/run}" || exit 1
. tests/lint/tap.bash

git rev-parse --git-dir >/dev/null 2>&1 || {
	skip "words" "git is missing, or this is no clone"
	finish
}
git ls-files | grep -E '^(catalogue|front|hsplit|levels|lib|options|plugin|python|reader|runtime|stream|tapepp|tools|doc|README|CONTRIBUTING)' |
	grep -vE '\.svg$|^doc/glossary\.md$' | while IFS= read -r f; do
		[ -f "$f" ] && printf '%s\n' "$f"; done >"$work/all"
grep -E '\.([chl]|cpp|tab)$' "$work/all" >"$work/code"
grep -E '\.(md|[1357]|head|tail)$' "$work/all" >"$work/documents"
{ [ "$(wc -l <"$work/code")" -gt 300 ] || echo "only $(wc -l <"$work/code")"; } |
	none "files are found"

# what C programs print: the lines of code with a literal, without the rest
xargs grep -nE '"' <"$work/code" | grep -E '^[^:]*\.(c|cpp|h):' |
	grep -oE '^[^:]*:[0-9]*:|"([^"\\]|\\.)*"' >"$work/literals"
awk '/^[^"]/ { at = $0; next } / / { print at " " $0 }' "$work/literals" >"$work/texts"

# | `pattern` | where | instead |
sed -n '/^| not /,/^$/p' doc/glossary.md |
	sed -nE 's/^\| `([^`]+)` \| (all|names|texts) \| (.*) \|$/\2\t\1\t\3/p' >"$work/words"
{ [ "$(wc -l <"$work/words")" -ge 25 ] || echo "only $(wc -l <"$work/words") words"; } |
	none "words are found in the glossary"

# what each pattern finds: "FILE:LINE: TEXT (not: PATTERN)"
while IFS=$'\t' read -r where pattern instead; do
	case $where in
	all) xargs grep -nwiE -- "$pattern" <"$work/all" ;;
	texts)
		grep -wiE -- "$pattern" "$work/texts"
		xargs grep -nwiE -- "$pattern" <"$work/documents"
		;;
	names)
		xargs grep -noE -- "\b([A-Za-z0-9]+_)*($pattern)(_[A-Za-z0-9]+)*\b" <"$work/code" |
			grep -E ':[^:]*_[^:]*$'
		;;
	esac | sed "s/\$/ (write: ${instead//\//\\\/})/"
done <"$work/words" | none "no word that the glossary forbids"

finish
