#!/bin/bash
# PVM programs that are setuid, setgid or have file capabilities, and were built
# for Tape: they are not traced, and not a word is said.
# Truth: the program without Tape.
. "$(dirname "$0")/pvm.bash"
. "$here/privileged.bash"
privileged_skip
compile pair pvm_first.c
lib=$TAPE_BUILD/lib
gcc -O1 -o pair.linked "$here/pvm_first.c" -L"$lib" -Wl,-rpath,"$lib" \
	-Wl,--no-as-needed -ltape-pvm -lgpvm3 -lpvm3 || exit 1
tapecc -O1 -o pair.source "$here/pvm_first.c" -lgpvm3 -lpvm3 || exit 1
echo 'colour = blue' >"$open/wrong.conf"
chmod 644 "$open/wrong.conf"

# mine NAME COMMAND...: nobody runs it, in a virtual machine of nobody's
# its names are another one's each time
mine()
{
	run "$1" as_nobody "${drop[@]}" pvm_machine "${@:2}"
	sed -i -E '/^ERROR: ld.so: object/d; s/pid[0-9]+/pid/
		s/tape-pvm\.[^/]*/machine/; s/pvmd\.[^ :]*/pvmd/' "$1.err"
}

for door in linked source; do
	give plain pair.$door pair
	mine control env TAPE_TRACE="$open/t" "$open/pair"
	ok "$door: a plain program of that user's is traced" \
		equal "$(cat control.rc) $(traces | wc -l)" "0 3"
	rm -rf "$open/t.tape"
done
for rights in setuid setgid capable; do
	give $rights pair pair || { skip "$rights" "setcap cannot do that"; continue; }
	mine plain "$open/pair"
	# PVM looks for the daemon of the effective user
	ok "$rights: it runs" equal "$(echo $(cat plain.rc plain.out))" \
		"$([ $rights = setuid ] && echo 5 -9 || echo 0 6 7)"
	for door in linked source; do
		give $rights pair.$door pair
		mine none "$open/pair"
		ok "$rights, $door: no trace" untouched none
		mine trace env TAPE_TRACE="$work/t" TAPE_RUN="$open/run" \
			TAPE_CONF="$open/wrong.conf" "$open/pair"
		ok "$rights, $door: TAPE_TRACE, TAPE_RUN, wrong settings" \
			untouched trace
	done
	give $rights pair pair
	mine preload taperun -o "$work/t" --library pvm "$open/pair"
	ok "$rights, taperun" untouched preload
done
finish
