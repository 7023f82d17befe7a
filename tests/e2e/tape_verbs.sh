#!/bin/bash
# tape VERB is the program of that verb: version, help, exit status, signals,
# input and output; unknown verbs; tape help; old forms of options; completion
# by real shells.
# Truth: the programs themselves, and what the shells offer.
. "$(dirname "$0")/tap.bash"
bin=$TAPE_BUILD/bin
cp "$TAPE_TOP/tests/golden/tapestat/delay/run.txt" run.txt
tapedump --assemble -o run.tape run.txt

# "VERB PROGRAM" of the table
sed -n 's/^    {"\([^"]*\)", "\([^"]*\)", QUESTION.*/\2 \1/p' \
	"$TAPE_TOP/options/programs.c" >table

# ---- every verb ----

verbs=0
while read -r verb name; do
	verbs=$((verbs + 1))
	program=${name%% *}
	[ -x "$bin/$program" ] || { skip "$verb" "$program is missing"; continue; }
	ok "$verb --version is that of $program" equal \
		"$(tape "$verb" --version 2>&1)" "$("$bin/$program" --version 2>&1)"
	case $name in
	"tape "* | tape[cf]c) continue ;; # no program of its own; a compiler's
	"$program"*) own=("$bin/$program" ${name#"$program"}) ;;
	esac
	ok "$verb --help is that of $name" equal \
		"$(tape "$verb" --help)" "$("${own[@]}" --help)"
	ok "$program is a verb, too" equal \
		"$(tape "$program" --version)" "$("$bin/$program" --version)"
done <table
ok "all verbs were tried" test "$verbs" -ge 30

# ---- what passes through ----

# as PROGRAM ARGUMENT...: the same output, errors and exit status
as()
{
	local program=$1 verb
	shift
	verb=$(awk -v p="$program" '$2 == p { print $1 }' table)
	"$program" "$@" >want 2>want.err
	echo $? >>want
	tape "$verb" "$@" >got 2>got.err
	echo $? >>got
	cmp want got && cmp want.err got.err
}
ok "output" as tapedump run.tape
ok "options" as tapestat -j run.tape
ok "arguments with blanks" as tapedump 'no such.tape'
ok "status 1" as tapestat none.tape
ok "status 2" as tapestat --no-such-option
tape dump --no-such-option 2>err
ok "status 2 is 2" equal "$?" 2
tapestat --compare run.tape run.tape >/dev/null
ok "comparison" equal "$(tape stat --compare run.tape run.tape >/dev/null; echo $?)" $?
ok "standard input" cmp <(tape dump --assemble -o in.tape - <run.txt; tapedump in.tape) \
	<(tapedump run.tape)
mkfifo pipe
tape dump --assemble -o sig.tape pipe 2>/dev/null &
pid=$!
exec 7>pipe # the program has opened it
kill -TERM $pid
wait $pid
ok "a signal ends the program itself" equal "$?" 143
exec 7>&-
ok "no trace is left of it" test ! -e sig.tape

# ---- what is no verb ----

tape dmup run.tape >out 2>err
ok "an unknown verb: status 2" equal "$? $(wc -c <out)" "2 0"
ok "the nearest is named" holds 'no verb dmup; did you mean dump\?' err
tape reprot run.tape 2>err
ok "the nearest of another" holds 'did you mean report\?' err
tape tapestst 2>err
ok "the nearest program" holds 'did you mean tapestat\?' err
tape elephants 2>err
ok "nothing is near" equal "$(cat err)" \
	"tape: there is no verb elephants; tape help lists the verbs"

# ---- help ----

tape help >out
ok "tape help fits on a screen" awk 'length > 80 || NR > 40 { exit 1 }' out
while read -r verb _; do
	grep -qE "(^| ) *$verb +[a-zA-Z]" out || echo "$verb"
done <table >missing
ok "tape help has each verb" equal "$(cat missing)" ""
ok "tape --help is the same" cmp out <(tape --help)
ok "grouped by questions" equal "$(grep -c '?$' out)" 3
tape help dump >page 2>&1
ok "tape help VERB: the man page, or the help" holds tapedump page
tape dump --help >page
ok "long options are in the help" holds '^  -j, --json ' page

# ---- old forms ----

tapedump --messages run.tape >new 2>new.err
tapedump -m run.tape >old 2>old.err
ok "an old letter: the same result and status" equal "$? $(cmp new old)" "0 "
ok "it says once what replaces it" equal "$(cat old.err)" "$(cat new.err)$(
	echo 'tapedump: -m is an old form: --messages replaces it in the next version')"
tapereport -n a -n b -o old.html run.tape run.tape 2>old.err
ok "once, however often" equal "$(grep -c 'old form' old.err)" 1
for rank in OMPI_COMM_WORLD_RANK PMI_RANK; do
	for k in 0 1 2; do env $rank=$k tapedump -m run.tape; done >/dev/null 2>err
	ok "once in a job, by $rank" equal "$(grep -c 'old form' err)" 1
done
tapestat -n 3 run.tape >/dev/null 2>err
ok "a letter that keeps its meaning says nothing" equal "$(grep -c 'old form' err)" 0
tico -sf -o a.tico.tape run.tape >/dev/null 2>a.err
tico --rule full -o b.tico.tape run.tape >/dev/null 2>b.err
ok "-sf is --rule full" cmp <(tapedump a.tico.tape) <(tapedump b.tico.tape)
ok "and no old form" equal "$(cat a.err b.err | grep -c 'old form')" 0

# ---- wrong options ----

tapestat --lines 2>err
ok "a missing value" holds 'tapestat: --lines: the value is missing' err
tapestat --al=3 run.tape 2>err
ok "a value too many" holds 'tapestat: --al=3: this option takes no value' err
tapestat --csv -Qa run.tape 2>err
ok "an unknown letter among others" holds 'tapestat: -Q: there is no such option' err
tico --ru minimal -o c.tico.tape run.tape >/dev/null 2>err
ok "an abbreviation of a name that has two letters" equal "$? $(wc -c <err)" "0 0"
tapecut -o '' run.tape 2>err
ok "a bad value" holds "tapecut: --output '': this is no valid FILE|TRACE" err
tape sim --engin own --platfrom x run.tape 2>err
ok "a misspelt option" holds 'tapesim: --platfrom: there is no such option' err

# ---- completion ----

tape completion bash >tape.bash
tape completion zsh >_tape
tape completion fish >tape.fish
# What bash offers for a line that ends in the last WORD
bash_offers()
{
	bash -c '. ./tape.bash
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_tape
		printf "%s\n" "${COMPREPLY[@]}" | sort -u | xargs' _ "$@"
}
ok "bash: the script is registered" equal "$(bash -c '. ./tape.bash
	complete -p tapedump tico tape | wc -l')" 3
ok "bash: verbs" equal "$(mkdir none; cd none; cp ../tape.bash .; bash_offers tape "" | wc -w)" \
	"$(wc -l <table)"
ok "bash: a verb's beginning" equal "$(bash_offers tape repo)" report
ok "bash: options of a verb" equal "$(bash_offers tape dump --a)" "--all --assemble"
ok "bash: options of a program" equal "$(bash_offers tapedump --a)" "--all --assemble"
ok "bash: tape live has its own options and those of tapelive" equal \
	"$(bash_offers tape live --re)" "--receivers --report"
ok "bash: traces" equal "$(bash_offers tape report run.t)" run.tape
ok "bash: no old letter" equal "$(bash_offers tapedump - | tr ' ' '\n' | grep -cx -- -m)" 0
ok "bash: a file, where no trace begins so" equal "$(bash_offers tapedump run.tx)" run.txt
ok "bash: a value that is no file" equal "$(bash_offers tapestat --lines r)" ""
ok "bash: a command and its files" equal "$(bash_offers taperun ls run.t)" \
	"run.tape run.txt"
ok "bash: tape help" equal "$(bash_offers tape help tapev)" tapeview
if command -v fish >/dev/null; then
	fish_offers()
	{
		HOME=$work fish --no-config -c "source tape.fish; complete -C '$1'" |
			cut -f1 | sort -u | xargs
	}
	ok "fish: a verb's beginning" equal "$(fish_offers 'tape repo')" report
	ok "fish: options of a verb" equal "$(fish_offers 'tape dump --a')" \
		"--all --assemble"
	ok "fish: options of a program" equal "$(fish_offers 'tapedump --a')" \
		"--all --assemble"
	ok "fish: letters" equal "$(fish_offers 'tapedump -' | tr ' ' '\n' |
		grep -x -- '-[a-z]' | xargs)" "-a -c -g -h -i -j -o"
	ok "fish: options of another verb are not offered" equal \
		"$(fish_offers 'tape dump --engi')" ""
	ok "fish: tape help" equal "$(fish_offers 'tape help tapev')" tapeview
else
	skip "fish: completion" "fish is not installed"
fi
if command -v zsh >/dev/null; then
	cat >zsh.sh <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z 'PS1=; fpath=('$PWD' $fpath); autoload -U compinit; compinit -u -D; print "REA""DY"'
wait_for() # TEXT: until it was printed
{
	local more
	for i in {1..500}; do
		while zpty -r -t z more; do all+=$more; done
		[[ $all == *$1* ]] && return
		sleep 0.1
	done
}
wait_for READY
zpty -w -n z $'tape \t\t'
wait_for 'HTML page, time line'
zpty -w -n z $'\x15tape report run.ta\t'
wait_for run.tape
zpty -w -n z $'\x15tape help tapev\t'
wait_for tapeview
zpty -w -n z $'\x15tape dump --asse\t'
wait_for --assemble
zpty -w -n z $'\x15tapesim --ranks-p\t'
wait_for ranks-per-host
zpty -w -n z $'\x15tico --certain 1 --li\t'
wait_for --links
print -r -- "$all"
END
	timeout 300 zsh -f zsh.sh >zsh.out
	ok "zsh: verbs, traces, programs, options" equal "$(tr -d '\r' <zsh.out |
		grep -oE 'report +-- who waited|run\.tape|help tapeview|dump --assemble|tapesim --ranks-per-host|1 --links' |
		sort -u | xargs)" \
		"1 --links dump --assemble help tapeview report -- who waited run.tape tapesim --ranks-per-host"
else
	skip "zsh: completion" "zsh is not installed"
fi
finish
