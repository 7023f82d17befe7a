#!/bin/bash
# What a file of settings may be: nothing waits for one, and one that lies in
# the current directory counts only if it is the user's own.
# Truth: rules of the document, case by case.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
build doors doors.c

# says NAME WORDS COMMAND...: status 2, one line, soon, and nothing was run
says()
{
	local name=$1 words=$2

	shift 2
	run "$name" timeout 100 "$@"
	equal "$(cat "$name.rc") $(wc -l <"$name.err") $(cat "$name.out")" \
		"2 1 " && holds "$words" "$name.err"
}

# untraced NAME WORDS: a linked program says it and goes on
untraced()
{
	run "$1" timeout 100 mpirun -np 2 "${@:3}" "$work/doors.linked" ring 5
	equal "$(cat "$1.rc") $(cat "$1.out")" "$(cat plain.rc) $(cat plain.out)" &&
		equal "$(wc -l <"$1.err")" 1 &&
		holds "^tape: .*$2.*; this run is not traced" "$1.err"
}
run plain mpirun -np 2 ./doors ring 5

mkfifo pipe.conf
ok "a pipe" says pipe 'pipe.conf: is not a plain file' \
	taperun --config pipe.conf ./doors ring 5
ok "a device without end" says zero '/dev/zero: is not a plain file' \
	taperun --config /dev/zero ./doors ring 5
ok "a directory" says dir '/tmp: is not a plain file' \
	taperun --config /tmp ./doors ring 5
truncate -s 3G huge.conf
ok "3 GiB of nothing" says huge 'huge.conf: is larger than 1 MiB' \
	taperun --config huge.conf ./doors ring 5
ok "linked: a pipe" untraced lpipe 'is not a plain file' \
	env TAPE_CONF=pipe.conf
mkdir here && cd here && mkfifo tape.conf
ok "a pipe in the current directory" says ../hpipe \
	'tape.conf: is not a plain file' taperun ../doors ring 5
cd .. && cp plain.rc plain.out here/ && cd here
ok "linked: a pipe in the current directory" \
	untraced ../lhpipe 'tape.conf: is not a plain file' env
rm tape.conf

echo trace = mine >tape.conf
chmod 666 tape.conf
ok "a file that everybody can write" says ../all \
	'tape.conf: can be written by all users' taperun ../doors ring 5
ok "linked: a file that everybody can write" \
	untraced ../lall 'tape.conf: can be written by all users' env
chmod 644 tape.conf
if [ "$(id -u)" -eq 0 ]; then
	chown 65534 tape.conf
	ok "another user's file" says ../other \
		'tape.conf: belongs to another user' taperun ../doors ring 5
	ok "linked: another user's file" \
		untraced ../lother 'tape.conf: belongs to another user' env
	run ../named mpirun -np 2 taperun --config tape.conf ../doors ring 5
	ok "another user's file, by its name" \
		equal "$(cat ../named.rc ../named.err) $(echo ./*.tape)" \
		"0 ./mine.tape"
	rm -r mine.tape
	chown "$(id -u)" tape.conf
else
	skip "another user's file" "root is needed to make one"
fi
ln -s /nowhere gone && mv tape.conf kept && mv gone tape.conf
run ../gone mpirun -np 2 taperun -o gone ../doors ring 5
ok "a link to nothing is no file" \
	equal "$(cat ../gone.rc ../gone.err) $(events gone.tape 0 MPI_Recv)" "0 5"
mv kept tape.conf
run ../own mpirun -np 2 taperun ../doors ring 5
ok "one's own file" \
	equal "$(cat ../own.rc ../own.err) $(events mine.tape 0 MPI_Recv)" "0 5"
ok "nothing was made elsewhere" equal "$(echo ./*.tape)" "./gone.tape ./mine.tape"
finish
