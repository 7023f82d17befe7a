#!/bin/bash
# What a trace or a user names does not cost tools memory or time without end:
# debug information that unpacks to gigabytes, models that never return, pipes.
# And a tool that a signal ends leaves nothing behind.
# Truth: limits of memory and time, by the kernel.
. "$(dirname "$0")/tap.bash"
need python3 gcc objcopy
mib() # COMMAND...: its memory and its children's at their most, to "mib"
{
	python3 -c '
import resource, subprocess, sys
rc = subprocess.call(sys.argv[1:], timeout=120)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10,
      file=open("mib", "w"))
sys.exit(rc)' "$@"
}

# 3.9 GiB of zeros in 4.1 MB, as a debug section
echo 'int main(void) { return 0; }' >prog.c
gcc -g -Wl,--build-id=sha1 -o prog prog.c
python3 - <<'PY'
import struct, zlib
block = 1 << 26
z = zlib.compressobj(9, zlib.DEFLATED, -15)
one = z.compress(bytes(block)) + z.flush(zlib.Z_FULL_FLUSH)
times = 63
size = block * times
open('bomb', 'wb').write(b'ZLIB' + struct.pack('>Q', size) + b'\x78\x01' +
    one * times + b'\x03\x00' + struct.pack('>I', (size % 65521) << 16 | 1))
PY
objcopy --add-section .zdebug_macinfo=bomb prog bombed
id=$(readelf -n bombed | sed -n 's/.*Build ID: //p')
sed "s|^\taddress 3 161 1f0 .*|\tmodule $work/bombed $id $(stat -c '%s %Y' bombed)\n\taddress 3 161 1f0 $work/bombed %|" \
	"$TAPE_TOP/tests/golden/tapedump/text/run.txt" >run.txt
tapedump --assemble run.txt 2>/dev/null
bomb() { mib sba run.tape 2>bomb.err; }
ok "a section of 3.9 GiB: sba goes on" bomb
ok "and says so" holds "bombed: no line for 1 call site: its debug information takes more" bomb.err
if nm "$TAPE_BUILD/bin/sba" | grep -q __asan_init; then
	skip "in less than 1.5 GiB" "sanitizers take memory"
else
	ok "in less than 1.5 GiB" [ "$(cat mib)" -lt 1536 ]
fi

# models
tapedump --assemble -o one.tape "$TAPE_TOP/tests/golden/tico/certain/run.txt" 2>/dev/null
refused() # PATTERN COMMAND...: fails in time with that, and leaves nothing
{
	local pattern=$1 rc

	shift
	timeout 250 "$@" >refused.out 2>refused.err </dev/null
	rc=$?
	ls -d ./*part* x.tape 2>/dev/null && return 1
	equal $rc 1 && holds "$pattern" refused.err &&
		equal "$(wc -l <refused.err)" 1
}
model() { printf '%s\n' "$1" >m.lua; }
model 'while true do end'
ok "a model that never ends" refused "m.lua: a call took more than 5 s" \
	tico -m m.lua -o x.tape one.tape
model 'function transit(b) local n = 0; while true do n = n + b end end'
ok "a function that never ends" refused "m.lua: a call took more than 5 s" \
	tico -m m.lua -o x.tape one.tape
model 'setmetatable(_G, { __index = function() while true do end end })'
ok "a function that never ends and takes the place of transit" \
	refused "m.lua: a call took more than 5 s" \
	tico -m m.lua -o x.tape one.tape
model 'local s = ("a"):rep(40)
function transit(b) return #s:gsub(("a*"):rep(40) .. "b", "") end'
ok "a library function that never ends" \
	refused "m.lua: a call took more than 5 s" \
	tico -m m.lua -o x.tape one.tape
model 'function transit(b) local t = {}; while true do t[#t + 1] = {} end end'
ok "a model without end of memory" \
	refused "m.lua: needs more than 256 MiB of memory" \
	tico -m m.lua -o x.tape one.tape
model 'function transit(b) return #(("x"):rep(1e9)) end'
ok "a string without end" refused "m.lua: needs more than 256 MiB of memory" \
	tico -m m.lua -o x.tape one.tape
model 'function transit(b, l, d) return d == "shm" and 1000 or 2000 end'
ok "a good model is used" tico -m m.lua -o good.tape one.tape
mkfifo pipe pipe.lua
ln -s /dev/zero zero
ln -s /dev/zero zero.lua
for name in pipe pipe.lua zero zero.lua; do
	ok "tico -m $name" refused "$name: not a plain file" \
		tico -m $name -o x.tape one.tape
done
ok "sba -l pipe" refused "pipe: not a plain file" \
	sba -l pipe -o x.tape "$(tapedump --assemble -o two.tape \
		"$TAPE_TOP/tests/golden/sba/drift/run.txt"; echo two.tape)"

# ended NAME COMMAND...: sent each signal while it works, it dies of that and
# leaves nothing
ended()
{
	local name=$1 signal pid rc

	shift
	for signal in TERM INT HUP; do
		# not ignored, as a shell has it for what is in the background
		python3 -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' "$@" >/dev/null 2>ended.err 3>&- &
		pid=$!
		for ((i = 0; i < 2000; i++)); do
			compgen -G 'x.*part*' >/dev/null && break
			sleep 0.05
		done
		compgen -G 'x.*part*' >/dev/null ||
			{ echo "nothing was begun"; cat ended.err; return 1; }
		kill -$signal $pid
		wait $pid
		rc=$?
		compgen -G 'x.*part*' && { echo "left after $signal"; return 1; }
		equal $rc $((128 + $(kill -l $signal))) || return 1
	done
}
sleep 1000 >pipe &
later kill $!
ok "tapedump -r: a signal" ended text tapedump --assemble -o x.tape pipe
model 'function transit(b) local n = 0; while true do n = n + b end end'
ok "tico: a signal" ended tico tico -m m.lua -o x.tape one.tape
finish
