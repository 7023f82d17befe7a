#!/bin/bash
# Models of a machine for tico -m: files, functions in Lua, and what tapecal
# measures.
# Truth: dates worked out by hand; LuaJIT.
. "$(dirname "$0")/tap.bash"
seed=${MODELS_SEED:-1}
echo "# seed $seed"
mkdir des
"$TAPE_BUILD/rig/des" -n 1 -l 400 -s "$seed" "$TAPE_BUILD/bin" des >/dev/null
trace=des/run.tape
[ -d "$trace" ] || { echo "Bail out! no trace"; exit 1; }

# dates NAME OPTION...: NAME.tape is the corrected trace
dates()
{
	local name=$1

	shift
	rm -rf "$name.tape"
	tico "$@" -o "$name.tape" "$trace" >"$name.report" 2>"$name.err" ||
		{ cat "$name.err"; false; }
}

# alike_dates NAME NAME: all that is not in meta, whose history differs
alike_dates() { diff -r -x meta "$1.tape" "$2.tape"; }
unlike_dates() { ! alike_dates "$@" >/dev/null; }

# ---- one model said in several ways ----

printf 'all %s\n' "eager 0 5000 0.8" "rendezvous 0 5000 0.8" "limit 4096" >all.model
echo "all limit 4096" >limit.model
ok "one line for all distances" dates given -m all.model
cat >given.model <<'END'
# the same, distance by distance
self eager 0 5000 0.8
self rendezvous 0 5000 0.8
shm eager 0 5e3 0.8	# numbers as in C
shm rendezvous 0 5000 0.8

net eager 0 5000 0.8
net eager 100 5000 .8	# goes on like the one before
net rendezvous 0 5000 0.8
self limit 4096
shm limit 4096
net limit 4096
END
ok "a file with the same" dates file -m given.model
ok "gives the same dates" alike_dates given file
echo 'function transit(bytes) return 5000 + 0.8 * bytes end' >given.lua
ok "a function in Lua with the same" dates lua -m given.lua -m limit.model
ok "gives the same dates" alike_dates given lua
ok "and is named in the report" holds 'function transit of given.lua' \
	lua.report
ok "and in the history" holds '^history tico .* model given.lua,limit.model ' \
	lua.tape/meta

# ---- what is not said ----

dates fitted -m limit.model
ok "the trace's own model differs" unlike_dates given fitted
ok "tapefit writes it" tapefit -m limit.model -o found.model "$trace"
ok "and the file" dates found -m found.model
ok "gives the same dates" alike_dates fitted found
tapefit -m given.lua -m limit.model -o lua.model "$trace" >no.out 2>no.err
ok "a function is written nowhere: wrong use" equal \
	"$? $(cat no.err) $(ls no.out -s | cut -c1) $(ls lua.model 2>/dev/null)" \
	"2 tapefit: -o lua.model: given.lua is a function, which cannot be written to a model file 0 "
echo 'net load 0' >little.model
ok "a file that says next to nothing" dates little -m little.model -m limit.model
ok "leaves all of it to the trace" alike_dates fitted little
grep -v limit given.model >half.model
ok "without limits in the file" dates half -m half.model -m limit.model
ok "those of another file hold" alike_dates given half
sed 's/limit 4096/limit 10/' given.model >ten.model
ok "limits of 10 bytes" dates ten -m ten.model
ok "make more messages wait" unlike_dates given ten
ok "a second file goes before the first" dates over -m ten.model -m limit.model
ok "and gives the other dates" alike_dates given over

# ---- pieces, LogGP, both protocols ----

cat >loggp.model <<'END'
self loggp 100 20 50 0.02
shm loggp 400 60 80 0.1
net loggp 5000 300 1000 0.8
END
ok "LogGP" dates loggp -m loggp.model -m limit.model
cat >same.lua <<'END'
local l = { self = 100, shm = 400, net = 5000 }
local o = { self = 20, shm = 60, net = 300 }
local g = { self = 0.02, shm = 0.1, net = 0.8 }
function transit(bytes, load, d, protocol)
	local ns = l[d] + o[d] + math.max(bytes - 1, 0) * g[d]
	return protocol == "rendezvous" and ns + o[d] or ns
end
END
# DC is the trace's in Lua: of a trace that was not waited for in the end
ok "written out in Lua" dates same -m same.lua -m limit.model
printf '%s dc 0 %d 0\n' self 20 shm 60 net 300 >dc.model
sed 's/loggp \([0-9]*\) \([0-9]*\) [0-9]* \(.*\)/\1 \2 \3/' loggp.model |
	while read -r d l o g; do
		awk -v d="$d" -v l="$l" -v o="$o" -v g="$g" 'BEGIN {
			print d, "eager 0", l + o, 0
			print d, "eager 1", l + o - g, g
			print d, "rendezvous 0", l + 2 * o, 0
			print d, "rendezvous 1", l + 2 * o - g, g }'
	done >>dc.model
ok "written out in pieces" dates pieces -m dc.model -m limit.model
ok "gives the same dates" alike_dates loggp pieces
grep -v dc dc.model >nodc.model
ok "and without DC" dates nodc -m nodc.model -m limit.model
ok "those of the function" alike_dates nodc same

ok "the example loaded.lua" dates loaded \
	-m "$TAPE_TOP/examples/loaded.lua" -m limit.model
cat >loaded.model <<'END'
self eager 0 100 0.02
self rendezvous 0 300 0.02
shm eager 0 400 0.1
shm rendezvous 0 1200 0.1
net eager 0 5000 0.8
net rendezvous 0 15000 0.8
net load 0.8
END
ok "written as a file" dates asfile -m loaded.model -m limit.model
ok "gives the same dates" alike_dates loaded asfile

# ---- mistakes ----

# refused PATTERN OPTION...: one sentence, status 1, no output
refused()
{
	local pattern=$1 rc

	shift
	rm -rf refused.tape
	tico "$@" -m limit.model -o refused.tape "$trace" >refused.out 2>refused.err
	rc=$?
	equal "$rc" 1 && equal "$(wc -l <refused.err)" 1 &&
		holds "^tico: $pattern" refused.err &&
		[ ! -s refused.out ] && [ ! -e refused.tape ]
}

# wrong LINE PATTERN: behind two good lines
wrong()
{
	printf 'shm eager 0 100 0.1\n# a comment\n%s\n' "$1" >wrong.model
	ok "refused: $1" refused "wrong.model:3: .*$2" -m wrong.model
}
wrong "far eager 0 1 1" '"far": self, l3, package, shm, switch, net or all'
wrong "shm" 'no value for shm'
wrong "shm eagre 0 1 1" '"eagre": eager, rendezvous'
wrong "shm eager 0 1" 'expected "shm eager BYTES NS NS/BYTE"'
wrong "shm eager 8 1 1 1" 'expected'
wrong "shm eager 8 1 1 1 1 1 1" 'unexpected word'
wrong "shm eager 8 1x 1" '"1x" is no number'
wrong "shm eager 8 1 -1" '"-1" is no number'
wrong "shm eager 8 nan 1" '"nan" is no number'
wrong "shm eager 8 1 inf" '"inf" is no number'
wrong "shm eager 0 1 1" 'rising sizes'
wrong "shm eager 8 -100 1" 'time of 8 bytes is negative'
wrong "shm rendezvous 64 1 1" 'begins at 0 bytes, not at 64'
wrong "shm loggp 1 1 1 1" 'is given twice'
wrong "shm loggp 1 1 1" 'expected "shm loggp L o g G"'
wrong "net load -1" 'no number'
wrong "net limit 1 2" 'expected "net limit BYTES"'
wrong "net limit 1$(printf '%*s' 300 '')" 'longer than'
printf 'shm limit 1\nshm limit 2\n' >wrong.model
ok "refused: a limit twice" refused 'wrong.model:2: .*given twice' \
	-m wrong.model
echo "# nothing" >wrong.model
ok "refused: a file without a fact" refused 'wrong.model: the file has no values' \
	-m wrong.model
ok "refused: no such file" refused 'none.model: No such file' -m none.model
ok "refused: a folder" refused 'des: Is a directory' -m des
for i in $(seq 0 66); do echo "shm eager $i $i 0"; done >wrong.model
ok "refused: more pieces than there is room for" \
	refused 'wrong.model:67: more than 66' -m wrong.model

# wrong_lua NAME TEXT PATTERN
wrong_lua()
{
	echo "$2" >wrong.lua
	ok "refused: $1" refused "wrong.lua:.*$3" -m wrong.lua
}
wrong_lua "no function" 'x = 1' 'no function transit'
wrong_lua "no Lua" 'function transit(' "expected"
wrong_lua "an error at once" 'error("so")' 'so'
wrong_lua "an error later" 'function transit() return nil + 1 end' \
	'1: attempt to perform arithmetic'
wrong_lua "an error without a text" 'function transit() error({}) end' \
	'without a text'
wrong_lua "nothing returned" 'function transit() end' \
	'returned a nil .*not a number'
wrong_lua "a text" 'function transit() return "5" end' 'returned a string'
wrong_lua "a negative time" 'function transit() return -1 end' \
	'returned -1 ns'
wrong_lua "no number" 'function transit() return 0/0 end' 'returned -?nan'
wrong_lua "an endless time" 'function transit() return 1/0 end' \
	'returned inf'
wrong_lua "files" 'io.open("x")' "index global 'io'"
wrong_lua "the system" 'os.exit(0)' "index global 'os'"
wrong_lua "coroutines" 'function transit() return coroutine.wrap(print)() end' \
	"index global 'coroutine'"
wrong_lua "the compiler" 'jit.off()' "index global 'jit'"
wrong_lua "foreign functions" 'ffi.cdef("")' "index global 'ffi'"
wrong_lua "finalizers" 'newproxy(true)' "call global 'newproxy'"
wrong_lua "bytecode" 'string.dump(error)' "call field 'dump'"
wrong_lua "text that becomes a program" 'loadstring("x = 1")' \
	"call global 'loadstring'"
wrong_lua "calls without end" 'function transit(...) return 1 + transit(...) end' \
	"stack overflow"
wrong_lua "protected calls without end" \
	'function transit() pcall(transit) end' 'returned a nil'
wrong_lua "a handler that fails, too" \
	'function transit() xpcall(error, transit) error("so") end' \
	"so|stack overflow|error in error"
wrong_lua "globals with a function of their own" \
	'setmetatable(_G, { __index = function() error("mine") end })' "mine"
wrong_lua "a wrong pattern" 'function transit() ("x"):find(("("):rep(5000)) end' \
	"too many captures|pattern too complex|malformed"
wrong_lua "a pattern in patterns" \
	'function transit() ("x"):rep(1e6):find(("x?"):rep(1e6)) end' \
	"pattern too complex|overflow"
wrong_lua "nested parentheses" "x = $(printf '(%.0s' {1..5000})" \
	"chunk has too many syntax levels|overflow"
wrong_lua "other files" 'dofile("given.lua")' "call global 'dofile'"
ok "refused: no such function file" refused '.*none.lua' -m none.lua
tico -m given.lua -m same.lua "$trace" >two.out 2>two.err
ok "two functions: wrong use" equal "$? $(cat two.err)" \
	"2 tico: -m same.lua: only one model in Lua is allowed, and given.lua is one"

# ---- tapecal ----

need mpirun mpicc
mpicc -O1 -o pingpong "$here/pingpong.c" || exit 1

# at FILE DISTANCE WHAT BYTES: the time that the file gives
at()
{
	awk -v d="$2" -v what="$3" -v bytes="$4" '
		$1 == d && $2 == what && $3 <= bytes { ns = $4 + $5 * bytes }
		END { if (ns == "") exit 1; print ns }' "$1"
}

# near A B FACTOR
near()
{
	awk -v a="$1" -v b="$2" -v f="$3" 'BEGIN {
		exit !(a > 0 && a <= f * b && b <= f * a) }' ||
		{ echo "$1 and $2"; false; }
}

run cal mpirun -np 2 tapecal
ok "tapecal ends well" equal "$(cat cal.rc)" 0
ok "and says nothing but the model" same cal.err /dev/null
ok "tico reads what it writes" dates cal -m cal.out
ok "each curve of both distances is there" equal \
	"$(awk '/^[^#]/ { print $1, $2 }' cal.out | sort -u | xargs)" \
	"self dc self eager self limit self rendezvous shm dc shm eager shm limit shm rendezvous"
# what the library says of itself in a trace; a header counts against it
mpirun -np 2 taperun -o meta ./pingpong 8 >/dev/null 2>&1
limit=$(awk '$1 == "eager" && $2 == "shm" { print $3 - 56 }' meta.tape/meta)
ok "the limit is the library's ($limit)" equal \
	"$(awk '$1 == "shm" && $2 == "limit" { print $3 }' cal.out)" "$limit"

# its own medians, in its comments, against its curves: a busy machine may
# spoil a few sizes
awk '/^# [a-z]+ rendezvous [0-9]/ { print $2, $4, $6 }' cal.out >medians
while read -r d bytes ns; do
	near "$(at cal.out "$d" rendezvous "$bytes")" "$ns" 1.34
done <medians >off
ok "$(wc -l <off) of $(wc -l <medians) sizes are a third off the curve" \
	[ $(($(wc -l <off) * 6)) -le "$(wc -l <medians)" ]

# and against another program's; of each, some run had both processors
modelled() # BYTES: half a round trip, ns
{
	local what=eager

	[ "$1" -le "$limit" ] || what=rendezvous
	at cal.out shm $what "$1"
}
for ((attempt = 1; attempt <= 30; attempt++)); do
	mpirun -np 2 ./pingpong 1 64 1024 4000 65536 1048576 >>all.halves
	[ $attempt -ge 6 ] || continue
	sort -n -k1,1 -k2,2 all.halves | awk '!seen[$1]++' >halves # the quickest
	while read -r bytes half; do
		near "$(modelled "$bytes")" "$half" 5 || break
	done <halves >far
	[ -s far ] || break
	[ $((attempt % 6)) -ne 0 ] || mpirun -np 2 tapecal >cal.out
done
while read -r bytes half; do
	ok "$bytes bytes: half a round trip of another program is near" \
		near "$(modelled "$bytes")" "$half" 5
done <halves

# two hosts, with two processes on the first: all distances
hosts=$TAPE_TOP/tests/rigs/hosts.sh
"$hosts" 0 0 -- true 2>reason
if [ $? -eq 77 ]; then
	skip "tapecal between hosts" "root: $(cat reason)"
	finish
fi
run net "$hosts" 0 0 -- sh -c "mpirun --mca plm_rsh_agent \$HOSTS_RSH \
	--host 10.87.0.1:2,10.87.0.2:1 --mca btl tcp,self,vader --bind-to none \
	--mca btl_tcp_if_include 10.87.0.0/24 \
	--mca oob_tcp_if_include 10.87.0.0/24 --mca mpi_yield_when_idle 1 \
	$TAPE_BUILD/bin/tapecal"
ok "tapecal on two hosts" equal "$(cat net.rc)" 0
ok "knows three distances" equal \
	"$(awk '/^[^#]/ { print $1 }' net.out | sort -u | xargs)" "net self shm"
ok "and the limit of TCP, less a header" holds '^net limit 65480$' net.out
ok "tico reads that" dates net -m net.out
finish
