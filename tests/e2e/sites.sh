#!/bin/bash
# Call sites recorded as addresses, looked up after the run: each program says
# itself where its calls stand; binaries of all kinds, also those that are
# gone, changed, damaged or no files at all by then.
# Truth: the program says where its calls stand.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc jq objcopy
if ! ldd "$(command -v sba)" | grep -q libdw; then
	skip sites "libdw is missing: Tape was built without it"
	echo "1..$tests"
	exit 0
fi
unset DEBUGINFOD_URLS
lib=$TAPE_BUILD/lib

bail() { echo "Bail out! $*"; exit 1; }
cc() { mpicc -w -I"$here" "$@" || bail "mpicc $*"; }

# trace PROGRAM [ARGUMENT...]: PROGRAM.truth, as it says, and PROGRAM.tape
trace()
{
	local name=$1

	rm -rf "$name.tape" "$name".*.tape
	taperun -s sampling=off -o "$name" "./$@" >"$name.truth" 2>"$name.log" ||
		{ cat "$name.log"; bail "$* ended with $?"; }
}

# seen TRACE: the same of the trace, in order of time
seen()
{
	tapedump -j "$1" 2>"$1.err" | jq -r 'select(.call != "processor") | "\(.call) \(.file // "?" |
		split("/") | last):\(.line // "?") \(.function // "?")"'
}

# in the order of time there is one line for each that the program printed
true_sites()
{
	[ -s "$1.truth" ] && seen "$1.tape" | diff -u "$1.truth" - &&
		same /dev/null "$1.tape.err"
}

# ---- kinds of binaries ----

cc -g -shared -fPIC -O1 -o liblibrary.so "$here/sites_lib.c"
cc -g -shared -fPIC -O1 -DPLUG_IN=first -o first.so "$here/sites_lib.c"
cc -g -shared -fPIC -O1 -DPLUG_IN=second -DLATER -o second.so "$here/sites_lib.c"
library=(-DWITH_LIBRARY -L. -Wl,-rpath,"$work" -llibrary -ldl)
while IFS='|' read -r name flags words; do
	cc $flags -o "$name" "$here/sites.c" "${library[@]}"
	trace "$name"
	ok "C, $words" true_sites "$name"
done <<'END2'
plain|-g -O0|position-independent
inlined|-g -O2|inlined
fixed|-g -O2 -no-pie|at a fixed address
old|-gdwarf-4 -O1|DWARF 4
packed|-g -gz -O2|compressed debug information
apart|-g -gsplit-dwarf -O2|functions in a .dwo file
whole|-g -O2 -flto|optimised as a whole
END2

cc -g -O2 -o linked "$here/sites.c" "${library[@]}" -L"$lib" \
	-Wl,-rpath,"$lib" -ltape-mpi
TAPE_TRACE=linked TAPE_SAMPLING=off ./linked >linked.truth 2>linked.log
ok "C, linked with the library" true_sites linked

cp inlined plugged
trace plugged ./first.so ./second.so ./first.so ./second.so
ok "plug-ins in turn, opened by a relative name" true_sites plugged
ok "the plug-ins did take each other's place" equal \
	"$(grep -c '^address .*/\(first\|second\).so' plugged.tape/rank.0)" 8

if command -v mpicxx >/dev/null; then
	for o in 0 2; do
		mpicxx -w -g -O$o -I"$here" -o cxx$o "$here/sites.cc" ||
			bail "mpicxx"
		trace cxx$o
		ok "C++ at -O$o, names as people write them" true_sites cxx$o
	done
else
	skip "C++" "mpi mpicxx is not installed"
fi

# places TRACE: address, file and line as sba writes them
places() { awk '$1 == "place" { print $3, $5 ":" $4 }' "$1/sites" | sort; }
agrees_with_addr2line()
{
	sba "$1.tape" >"$1.sba" && places "$1.sba.tape" | grep -v ' %:' >ours
	while read -r address _; do
		at=$(addr2line -e "$1" "$(printf '0x%x' $((0x$address - 1)))")
		echo "$address ${at%% *}"
	done <ours >theirs
	[ -s ours ] && same theirs ours
}
cc -g -O2 -o alone "$here/sites.c" -ldl
trace alone
ok "the same as addr2line says" agrees_with_addr2line alone

# ---- kept by sba and tico ----

# outlives NAME TRACE: as the truth, though no program is there, in silence
outlives()
{
	seen "$2" | diff -u "$1.truth" - && same /dev/null "$2.err"
}
gone()
{
	sba plain.tape >sba.out 2>sba.err && same /dev/null sba.err || return 1
	mkdir away && mv plain liblibrary.so away/
	tico plain.sba.tape >tico.out 2>tico.err
	outlives plain plain.sba.tape && outlives plain plain.tico.tape &&
		same /dev/null tico.err
}
ok "sba writes them, later tools need no programs" gone
ok "tico's table has them" \
	holds ' MPI_Comm_size  outer \(sites\.c:[0-9]+\)$' tico.out
through_text()
{
	tapedump plain.sba.tape >x.txt && tapedump --assemble -o x.tape x.txt &&
		tapedump x.tape | cmp - x.txt && outlives plain x.tape
}
ok "text and back" through_text
ok "tapedump's summary has them" \
	eval 'tapedump -i plain.sba.tape | holds " MPI_Init  main \(sites\.c:" -'
ok "without the programs, the raw trace has addresses" \
	eval '! outlives plain plain.tape; holds "plain: no lines .* no such file" plain.tape.err &&
		equal "$(grep -c "no such file" plain.tape.err)" 2'
mv away/* .

# ---- debug information elsewhere ----

cc -g -O1 -o split "$here/sites.c" -ldl
trace split
objcopy --only-keep-debug split split.debug
objcopy --strip-all --add-gnu-debuglink=split.debug split
ok ".gnu_debuglink, beside the program" true_sites split
mkdir -p .debug && mv split.debug .debug/
ok ".gnu_debuglink, in .debug" true_sites split
id=$(readelf -n split | sed -n 's/.*Build ID: //p')
debug=/usr/lib/debug/.build-id/${id:0:2}
if [ -n "$id" ] && [ "$(id -u)" -eq 0 ] && [ ! -e "$debug/${id:2}.debug" ]; then
	[ -d /usr/lib/debug ] || later rmdir --ignore-fail-on-non-empty /usr/lib/debug
	[ -d "${debug%/*}" ] || later rmdir --ignore-fail-on-non-empty "${debug%/*}"
	[ -d "$debug" ] || later rmdir --ignore-fail-on-non-empty "$debug"
	later rm -f "$debug/${id:2}.debug"
	mkdir -p "$debug" && mv .debug/split.debug "$debug/${id:2}.debug"
	ok "by build-id below /usr/lib/debug" true_sites split
else
	skip "by build-id below /usr/lib/debug" "not root"
fi

# ---- what cannot be found, and is said ----

# told NAME REASON: no file, one sentence on the program
told()
{
	timeout 100 tapedump -j "$1.tape" >"$1.json" 2>"$1.err" || return 1
	lacks '"file":' "$1.json" && holds "\"module\":\"$work/$1\"" "$1.json" &&
		holds "^tapedump: $work/$1: no lines for [0-9]+ call sites: .*$2" "$1.err" &&
		equal "$(wc -l <"$1.err")" 1
}

cc -O1 -rdynamic -s -o stripped "$here/sites.c" -ldl
trace stripped
ok "stripped: what to do" told stripped "no debug information; compile it with -g"
ok "stripped: the nearest dynamic symbol" holds \
	'MPI_Comm_rank.*"function":"outer"' stripped.json
cc -O1 -o symbols "$here/sites.c" -ldl
trace symbols
ok "without -g: functions" eval \
	'told symbols "no debug information; compile it with -g" && holds "\"function\":\"main\"" symbols.json'

cc -g -O1 -o rebuilt "$here/sites.c" -ldl
trace rebuilt
cc -g -O2 -DMORE -o rebuilt "$here/sites.c" -ldl
ok "rebuilt since the run" told rebuilt "the file has changed since the run"
cc -g -O1 -Wl,--build-id=none -o dated "$here/sites.c" -ldl
trace dated
ok "no build-id: the same size and date" true_sites dated
touch -d 2001-01-01 dated
ok "no build-id: another date" told dated "the file has changed since the run"
partly()
{
	tapedump -j partly.tape 2>&1 >partly.json | holds \
		"^tapedump: $work/partly: no lines for 2 of [0-9]+ call sites: comp" -
}
cc -O1 -c -DPLUG_IN=first -o partly.o "$here/sites_lib.c"
cc -g -O1 -o partly -DWITH_LIBRARY -Dlibrary_calls=plug_in_calls \
	"$here/sites.c" partly.o -ldl
trace partly
ok "a part compiled without -g" partly

# ---- what a trace may name ----

trace_of()
{
	rm -rf trap.tape trap && cp -r alone.tape trap.tape
	sed -i "s|/alone |/trap |" trap.tape/rank.0
}
trap_is() { trace_of; "$@"; told trap "$words"; }
words='no such file'
ok "a pipe" trap_is mkfifo trap
ok "a device" trap_is ln -s /dev/zero trap
ok "a terminal" trap_is ln -s /dev/tty trap
ok "a directory" trap_is mkdir trap
ok "nothing" trap_is true
words='the debug information cannot be read'
ok "a text" trap_is cp "$here/sites.c" trap
ok "an empty file" trap_is touch trap
ok "a huge file without anything" trap_is truncate -s 1T trap
cut() { head -c "$1" alone >trap; }
for n in 16 64 1000 9000; do
	ok "a program cut after $n bytes" eval "trace_of; cut $n
		timeout 100 tapedump -j trap.tape >trap.json 2>trap.err &&
		lacks '\"file\":' trap.json && equal \$(wc -l <trap.err) 1"
done
words='no debug information'
pipe_as_debug()
{
	cp split trap && id=$(readelf -n trap | sed -n 's/.*Build ID: //p')
	sed -i "s|/trap [0-9a-f]* |/trap $id |" trap.tape/rank.0
	objcopy --remove-section .gnu_debuglink trap
	objcopy --only-keep-debug alone debug.x
	objcopy --add-gnu-debuglink=debug.x trap && rm debug.x &&
		mkfifo debug.x
}
ok "a pipe in the place of the debug information" \
	eval '[ -z "$id" ] || rm -f "$debug/${id:2}.debug"; trap_is pipe_as_debug'
relative()
{
	trace_of && sed -i "s|$work/trap|alone|" trap.tape/rank.0 &&
		tapedump -j trap.tape 2>trap.err | lacks '"file":' - &&
		holds '^tapedump: alone: no lines .* no such file' trap.err
}
ok "a relative name means nothing" relative
flips()
{
	local i n size

	trace_of
	size=$(stat -c %s alone)
	RANDOM=4711
	for ((i = 0; i < 60; i++)); do
		cp alone trap
		for ((n = 0; n < 40; n++)); do
			printf "\\x$(printf %02x $((RANDOM & 255)))" |
				dd of=trap bs=1 conv=notrunc status=none \
				seek=$(((RANDOM * 32768 + RANDOM) % size))
		done
		timeout 100 tapedump -j trap.tape >trap.json 2>trap.err ||
			{ echo "status $?, turn $i"; return 1; }
		equal "$(jq 'select(.call != "processor") | .call' trap.json |
			wc -l)" "$(wc -l <alone.truth)" ||
			return 1
	done
}
ok "damaged programs (seed 4711)" flips

finish
