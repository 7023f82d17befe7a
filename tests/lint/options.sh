#!/bin/bash
# Every option is everywhere: in the table of programs (options/programs.c), the
# help that the program prints, its man page, and its completion for bash, zsh
# and fish; no program reads options without the table; letters mean the same in
# all programs.
# Truth: the table, as text; the rules of house style for letters.
cd "${TAPE_TOP:?is set by tests/run}" || exit 1
. tests/lint/tap.bash
bin=$TAPE_BUILD/bin
[ -x "$bin/tape" ] || { echo "Bail out! $bin is not Tape's"; exit 1; }
for shell in bash zsh fish; do
	"$bin/tape" completion $shell >"$work/$shell" || echo $shell
done | none "tape completion prints a script for each shell"

# ---- the programs ----

# "NAME VERB" of each line of the table
sed -n 's/^    {"\([^"]*\)", "\([^"]*\)", QUESTION.*/\2 \1/p' options/programs.c \
	>"$work/table"
for c in $(ls "$bin"); do
	[ "$c" = tape ] || grep -qE "^[^ ]+ $c$" "$work/table" ||
		echo "$c is not in options/programs.c"
done | none "every program is in the table"
git ls-files -co --exclude-standard 'tools/*.c' 'front/*.c' 'tapepp/*.c' 'runtime/*.c' |
	while read -r f; do [ ! -f "$f" ] || echo "$f"; done |
	grep -vE '^tools/(tapegather/gather_server|tapereceive/tapereceive)\.c$' | # no commands
	xargs grep -lE '\bgetopt(_long)?(_only)?\(argc' |
	none "no command reads its options without the table"

# options VERB PROGRAM: "LETTER NAME ARGUMENT" of what the help lists
options()
{
	case $1 in
	simulate) "$bin/taperun" --simulate --help ;;
	*) if [[ $2 == tape\ * ]]; then "$bin/tape" "$1" --help; else "$bin/$2" --help; fi ;;
	esac </dev/null | sed -nE \
		's/^  (-(.), |    )--([a-z0-9-]+)(\[=[^ ]*| ([^ ]+)|$)?.*/\2:\3:\4/p'
}

page_of()
{
	local name=${1%% *}

	git ls-files --cached --others --exclude-standard "*/$name.1" | head -n 1
}

# The words of a page without roff's escapes
plain()
{
	sed -E 's/\\f(\[[^]]*\]|.)//g; s/\\&//g; s/\\-/-/g; s/"//g' "$1"
}

while read -r verb name; do
	[[ $name == tape[cf]c ]] && continue # options of compilers
	page=$(page_of "$name")
	case $name in # those of another program
	"tape report" | "tape compare") page=tools/tapestat/tapestat.1 ;;
	"tape view") page=tools/tapeview/tapeview.1 ;;
	"tape page") page=tools/tapereport/tapereport.1 ;;
	esac
	plain "$page" >"$work/page"
	n=0
	while IFS=: read -r letter long _; do
		n=$((n + 1))
		[[ $long =~ ^(help|version)$ && $name == tape\ * ]] && continue
		grep -qE -- "--$long([^a-z-]|$)|(^|[ (])-$long([^a-z-]|$)" "$work/page" ||
			echo "$page: no --$long"
		[ -z "$letter" ] || grep -qE -- "(^|[ (,])-$letter([^a-z-]|$)" \
			"$work/page" || echo "$page: no -$letter"
		sed -n "/^	$verb\( |.*\)*)/,/;;$/p" "$work/bash" >"$work/part"
		grep -qE -- "[' ]--$long[= ]" "$work/part" ||
			echo "bash: $name --$long"
		sed -n "/^	$verb\( |.*\)*)/,/;;$/p" "$work/zsh" >"$work/part"
		grep -qF -- "'*--$long" "$work/part" ||
			echo "zsh: $name --$long"
		grep -E "__tape_argument $verb " "$work/fish" |
			grep -qE -- " -l $long " || echo "fish: $name --$long"
	done < <(options "$verb" "$name")
	[ $n -ge 2 ] || echo "$name --help lists $n options"
done <"$work/table" >"$work/wrong"
none "each option of the help is in the man page and in three completions" \
	<"$work/wrong"

# What a man page says of an option the program has.
while read -r verb name; do
	[[ $name == tape[cf]c || $name == *\ * ]] && continue
	page=$(page_of "$name")
	{ options "$verb" "$name"; [ "$name" != taperun ] || options simulate x; } |
		cut -d: -f2 | sort -u >"$work/known"
	awk '/^\.SH OPTIONS/ { on = 1 } /^\.SH/ && !/OPTIONS/ { on = 0 }
		on && /^\.TP/ { getline; print }' "$page" >"$work/headings"
	plain "$work/headings" | grep -oE -- '--[a-z][a-z-]*' | cut -c3- | sort -u |
		comm -23 - "$work/known" | sed "s|^|$page: --|"
done <"$work/table" | none "each option of a man page is one of the program"

# ---- letters ----

# One meaning of a letter in all programs. Old forms are not in the help.
while read -r verb name; do
	[[ $name == tape[cf]c ]] || options "$verb" "$name"
done <"$work/table" | awk -F: '
	BEGIN {
		split("o output j json c csv n lines w window r ranks m model " \
			"p platform v verbose q quiet f force h help V version", w)
		for (i = 1; i in w; i += 2)
			means[w[i]] = w[i + 1]
	}
	$1 in means && means[$1] != $2 && !($1 == "n" && $2 == "rows") {
		print "-" $1 " is --" $2 " and should be --" means[$1]
	}' | sort -u | none "letters mean the same in all programs"
while read -r verb name; do
	[[ $name == tape[cf]c ]] || options "$verb" "$name" | sed "s/^/$name: /"
done <"$work/table" >"$work/all"
{ [ "$(wc -l <"$work/all")" -ge 200 ] || wc -l <"$work/all"; } |
	none "the help of the programs has 200 options"
for c in $(ls "$bin" | grep -vxE 'tape[cf]c'); do
	"$bin/$c" --help </dev/null | awk -v c="$c" 'length > 80 { print c ": " $0 }'
done | none "help fits into 80 columns"

finish
