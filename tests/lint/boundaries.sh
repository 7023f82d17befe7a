#!/bin/bash
# The boundaries between modules, from what is compiled: which folders each
# may include from, whether its headers stand alone, which symbols its objects
# import, export and keep state in.
# Truth: the rules of CONTRIBUTING.md.
cd "${TAPE_TOP:?is set by tests/run}" || exit 1
. tests/lint/tap.bash
obj=$TAPE_BUILD/obj lib=$TAPE_BUILD/lib

# ---- folders ----

# What a folder may include from, beside itself; tools see no other tool.
runtime_layers="core transport records limits events process"
allowed()
{
	local layer

	case $1 in
	catalogue | plugin) ;;
	options | levels | reader | reader/* | lib/model | lib/model/*) echo catalogue ;;
	tapepp) echo catalogue ;;
	stream) echo catalogue ;;
	hsplit) echo catalogue levels ;;
	runtime | runtime/arch) echo catalogue runtime runtime/{arch,core} ;;
	runtime/taperun) echo catalogue runtime runtime/{arch,core,transport} ;;
	runtime/order) echo catalogue runtime runtime/{arch,core} ;;
	runtime/mpi) echo catalogue levels stream runtime runtime/{arch,order} \
		$(printf 'runtime/%s ' $runtime_layers) ;;
	runtime/pvm) echo catalogue levels runtime runtime/{arch,order} \
		$(printf 'runtime/%s ' $runtime_layers) ;;
	runtime/simulated) echo catalogue levels runtime runtime/{arch,mpi} \
		$(printf 'runtime/%s ' $runtime_layers) ;;
	runtime/*) # a layer: those below it
		echo catalogue runtime runtime/arch
		[ "$1" != runtime/process ] || echo levels
		for layer in $runtime_layers; do
			[ "runtime/$layer" != "$1" ] || return 0
			echo "runtime/$layer"
		done
		return 1 ;;
	lib/common) echo catalogue reader lib/model ;;
	lib/parallel) echo catalogue reader lib/common ;;
	lib/replay) echo catalogue reader lib/{common,model,parallel} ;;
	lib/correct | lib/waits | lib/where | lib/races | lib/export | lib/window | \
		lib/actions) echo catalogue reader lib/{common,model,parallel,replay} ;;
	lib/clocks) echo catalogue reader lib/{common,model,parallel,replay} ;;
	lib/profile) echo catalogue reader \
		lib/{common,model,parallel,replay,waits} ;;
	lib/page) echo catalogue reader \
		lib/{common,model,parallel,replay,waits,profile} ;;
	lib/plugin) echo catalogue plugin reader lib/{common,model,parallel,replay,waits} ;;
	lib/live) echo catalogue plugin reader \
		lib/{common,model,parallel,replay,waits,profile,plugin,window,page,where} ;;
	lib/predict) echo catalogue reader lib/{common,model,parallel,replay,actions} ;;
	lib/placement) echo catalogue reader \
		levels lib/{common,model,parallel,replay,actions} ;;
	front) echo catalogue reader lib/common lib/model ;;
	tools/sba) echo catalogue reader \
		lib/{common,model,parallel,replay,clocks} ;;
	tools/tico) echo catalogue reader \
		lib/{common,model,parallel,replay,correct} ;;
	tools/tapefit) echo catalogue reader lib/{common,model,parallel,replay,correct,page} ;;
	tools/tapestat) echo catalogue plugin reader \
		lib/{common,model,parallel,replay,waits,profile,plugin} ;;
	tools/tapereport) echo catalogue reader \
		lib/{common,model,parallel,replay,waits,profile,page} ;;
	tools/tapelive) echo catalogue plugin reader \
		lib/{common,model,parallel,replay,waits,profile} \
		lib/{plugin,window,page,where,live} ;;
	tools/tapeview) echo catalogue reader lib/{common,model,parallel,replay,waits,profile,page} ;;
	tools/tapeplugin) echo catalogue plugin reader \
		lib/{common,model,parallel,replay,waits,plugin} ;;
	tools/tapegather) echo catalogue lib/{common,model,live} ;;
	tools/tapeorder) echo catalogue reader lib/common ;;
	tools/tapereceive) echo catalogue stream lib/{common,live} ;;
	tools/tapecal) echo catalogue levels reader lib/{common,model} ;;
	tools/tapewhere) echo catalogue reader lib/{common,model,parallel,replay,where} ;;
	tools/taperaces) echo catalogue reader lib/{common,model,parallel,replay,races} ;;
	tools/tapecut) echo catalogue reader lib/{common,model,parallel,replay,window} ;;
	tools/tapesim) echo catalogue reader \
		lib/{common,model,parallel,replay,correct,actions,predict} ;;
	tools/tapeplace) echo catalogue levels reader \
		lib/{common,model,parallel,replay,actions,placement} ;;
	tools/t2ti) echo catalogue reader lib/{common,model,parallel,replay,actions} ;;
	tools/t2chrome | tools/t2paje | tools/t2paraver | tools/t2otf2) \
		echo catalogue reader lib/{common,model,parallel,replay,export} ;;
	tools/*) echo catalogue reader lib/{common,model,parallel,replay} ;;
	*) return 1 ;;
	esac
}

# The folders that a library is divided in
parts_of()
{
	case $1 in reader | lib/model) echo "$1" "$1"/*/ ;; *) echo "$1" ;; esac
}

# "FOLDER INCLUDED..." of each module line; $(1) of the tools' is any tool, which
# may include more by a line NAME_USES of its own, and of a library its name.
sed -n 's/^\([a-z0-9]*\)_USES := /tools\/\1 /p' tools/*/module.mk >"$work/uses"
# The lists that two lines share, as their module.mk has them
layers=$(sed -n 's/^RUNTIME_LAYERS := //p' runtime/module.mk)
layers=$(printf 'runtime\\/%s ' arch $layers)
received=$(sed -n 's/^RECEIVE_FOLDERS := //p' tools/tapereceive/module.mk)
git ls-files '*module.mk' | grep -v '^tests\|^bench\|^examples' |
	xargs sed -n 's/ \$(\$(1)_USES)//
	s/\$(call library,\([a-z]*\),\([^,)]*\).*/$(call module,lib\/\1,\2)/
	s/\$(1)/ANY/g
	s/\$(RUNTIME_FOLDERS)/runtime '"$layers"'/
	s/\$(RECEIVE_FOLDERS)/'"${received//\//\\/}"'/
	s/^.*\$(call module,\([^,]*\),\([^,)]*\).*$/\1 \2/p' |
	grep -v '^lib/ANY ' >"$work/modules"
cat "$work/uses" >>"$work/modules"
[ "$(wc -l <"$work/modules")" -ge 40 ] || echo "module lines not found" |
	none "every module.mk has its module line"
while read -r folder list; do
	for i in $list; do
		# every program reads its arguments by the table
		case " $(allowed "$folder" | xargs) $folder options " in
		*" $i "*) ;;
		*) echo "$folder includes from $i" ;;
		esac
	done
done <"$work/modules" | none "modules include from the folders they may"

git ls-files '*.h' | while read -r h; do
	folder=$(dirname "$h") flags=
	if list=$(allowed "$folder"); then
		for i in options $list "$folder"; do
			for part in $(parts_of "$i"); do flags+=" -I$part"; done
		done
		[[ $folder != reader/* ]] || flags+=" $(printf -- '-I%s ' reader reader/*/)"
		[[ $folder != lib/model/* ]] || flags+=" $(printf -- '-I%s ' lib/model/*/)"
	else
		continue
	fi
	cc=gcc
	[[ $folder =~ ^(runtime/mpi|hsplit|stream|tools/tapecal)$ ]] &&
		cc=$(command -v mpicc.openmpi || echo mpicc)
	if [ "$folder" = runtime/simulated ]; then # in simulated time
		cc=smpicc
		flags+=" -I$TAPE_BUILD/gen-smpi -include runtime/simulated/simulated.h"
		flags+=" -Wno-attributes" # of variables that no other thread has
		[[ $h == */frame.h ]] && flags+=" -include runtime/mpi/receives.h"
		export SMPI_PRETEND_CC=1
	fi
	command -v "$cc" >/dev/null || continue
	echo "#include \"$(basename "$h")\"" |
		"$cc" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-function \
			-Werror -fsyntax-only $flags -I"$TAPE_BUILD/gen" \
			-x c - 2>&1 | grep -v '^Warning: smpicc pretends' | head -n 3
done | none "every header compiles alone with its module's folders"

git ls-files '*.c' '*.h' '*.l' |
	grep -E '^(catalogue|reader|tapepp|lib|tools|runtime/(arch|core|transport|records|limits|events|process|order|taperun)/)' |
	grep -vE '^tapepp/include/|^tools/(tapecal|tapereceive)/|^lib/parallel/mpi/' |
	xargs grep -lE '^[ \t]*#[ \t]*include[ \t]*<(p?mpi|pvm3)\.h>' |
	none "mpi.h is included in runtime/mpi, tools/tapecal, tools/tapereceive and lib/parallel/mpi, pvm3.h in runtime/pvm, only"

# ---- imports ----

# Symbols that files of a list of objects import from outside the list.
imports()
{
	nm -u "$@" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u >"$work/u"
	nm -g --defined-only "$@" | awk 'NF == 3 { print $3 }' | sort -u >"$work/d"
	comm -23 "$work/u" "$work/d" | grep -v '^_GLOBAL_OFFSET_TABLE_$'
}

# the numbers: memory, strings of bytes, mathematics and its library
math='calloc|malloc|realloc|free|qsort|mem(cpy|move|set|cmp)|gsl_[A-Za-z0-9_]+'
math+='|(sqrt|cbrt|exp|expm1|log|log1p|log2|pow|hypot|floor|ceil|l?l?rint|l?l?round|nearbyint|fmin|fmax|fabs|copysign|fmod|sin|cos|sincos|tan|erf|erfc|lgamma|tgamma|frexp|ldexp)f?'
math+='|__(assert_fail|stack_chk_fail|memcpy_chk)|__(asan|ubsan)_[a-z0-9_]+'
imports "$obj"/lib/model/*/*.o | grep -vxE "$math" |
	none "the model imports memory and mathematics, nothing else"

# taperun's own are not in the traced program
runtime=$(ls "$obj"/runtime/{core,transport,records,limits,events,process,order,mpi,pvm,arch/*}/*.o 2>/dev/null)
if [ -n "$runtime" ]; then
	imports $runtime | grep -xE \
		'_?_?exit|_Exit|quick_exit|abort|__assert_fail|puts|putchar|printf|vprintf|__printf_chk|stdout|err|errx|raise|kill' |
		none "the runtime never exits, aborts or prints on stdout"
	between='^tape_|^dl(close|sym)$|^sigaction$|^(|bsd_|s|sysv_|__sysv_)signal$'
	between+='|^pthread_(create|join)$|^(|_|sig)longjmp$|^__longjmp_chk$|^_Unwind_'
	for so in "$lib"/libtape-mpi*.so; do
		name=$(basename "$so" .so) family=openmpi
		[ "$name" = libtape-mpi ] || family=mpich
		own=
		# on an error's way to its handler (runtime/mpi/silent_query.c)
		[ $family != mpich ] || own='|^MPIR_Err_return_comm$'
		# those that only some libraries have: as mpi.h declares them
		"$TAPE_BUILD/mkcatalogue" list catalogue | awk -v has="$TAPE_BUILD/gen/tape_has_$family.h" '
			BEGIN { while ((getline line < has) > 0) {
				split(line, w); there[w[2]] = 1 } }
			$2 ~ /^MPI_/ && (!/ not_everywhere/ || there["TAPE_HAS_" $2]) {
				print $2 }' | sort -u >"$work/calls"
		nm -D --defined-only "$so" | awk '{ print $3 }' |
			sed 's/@.*//' | sort -u >"$work/exports"
		# of what is between the program and the C library (runtime/process/dlsym.c,
		# dlclose.c, longjmp_hooks.c, signals.c, thread_calls.c); dlclose: an address means another call site after it; dlsym: who
		# asks for the MPI library's functions gets Tape's;
		# of a call: C's name and the four that Fortran compilers make of it,
		# one of mpi_f08, and with an address of TYPE(C_PTR)
		grep -vE "$between$own" "$work/exports" | awk '
			NR == FNR { known[tolower($0)] = $0; next }
			{
				s = tolower($0)
				sub(/_?_?$/, "", s)
				sub(/_(f08|cptr)$/, "", s)
				if (!(s in known))
					print
			}' "$work/calls" - |
			none "$name exports tape_ names and calls of the catalogue"
		# those that take "..." have no wrapper by the source door
		comm -23 "$work/calls" "$work/exports" |
			none "$name exports every call of the catalogue"
	done
	for so in "$lib"/libtape-hsplit*.so; do
		[ -e "$so" ] || continue
		nm -D --defined-only "$so" | awk '{ print $3 }' |
			grep -viE '^tape_(h|get_)|^mpi_comm_split_type(_f08)?_*$' |
			sed "s|^|${so##*/}: |"
	done | none "libtape-hsplit exports its functions and the door"
	for so in "$lib"/libtape-stream*.so; do
		[ -e "$so" ] || continue
		nm -D --defined-only "$so" | awk '{ print $3 }' |
			grep -vE '^tape_(stream|map|partition)' |
			sed "s|^|${so##*/}: |"
	done | none "libtape-stream exports what its header declares"
	if [ -e "$lib/libtape-pvm.so" ]; then
		nm -D --defined-only "$lib/libtape-pvm.so" |
			awk '{ print $3 }' | sed 's/@.*//' | sort -u |
			grep -vE "$between" | diff - <(awk \
			'$1 ~ /^[0-9]+$/ { print $2 }' catalogue/pvm.tab | sort) |
			none "libtape-pvm exports tape_ names and PVM's calls"
	fi
else
	skip "symbols of the runtime" "mpi is missing"
fi

imports "$obj/libreader.a" "$obj/libcatalogue.a" | grep -xE \
	'_?_?exit|_Exit|abort|puts|putchar|v?f?printf|__printf_chk|stdout|stderr|getenv' |
	none "reader and catalogue print nothing and never exit"
nm -g --defined-only "$obj/libreader.a" "$obj/libcatalogue.a" "$obj/libmodel.a" \
	"$obj/libcommon.a" "$obj/libreplay.a" | awk 'NF == 3 && $3 !~ /^tape_/' |
	none "libraries define tape_ names only"

# ---- state ----

# Objects that may keep state, and why. Anything else is handed around.
may_have_state()
{
	case $1 in
	catalogue/mkcatalogue.o) ;; # a program used at build time,
	catalogue/t*.o) ;; # its tables and traits,
	catalogue/fortran_names.o) ;; # and its names of Fortran,
	catalogue/records.o) ;; # its records
	stream/*partitions.o) ;; # the programs of this job
	stream/library.o) ;; # is it started?
	runtime/mpi/virtual.o) ;; # this one's world
	runtime/mpi/virtual_*.o) ;; # what is called back, and stood there
	runtime/core/core.o) ;; # the state of the traced process
	runtime/core/message.o) ;; # what standard error was
	runtime/events/flows.o) ;; # the key of the ends of threads
	runtime/process/process.o) ;; # whether it has begun before
	runtime/pvm/clock_server.o) ;; # a program, too
	runtime/taperun/taperun.o) ;; # a program; its settings are large
	runtime/taperun/simulate.o) ;; # what it was asked for
	runtime/taperun/simulate_hosts.o) ;; # the name of its result
	runtime/taperun/simulate_tools.o) ;; # the folder that goes with it
	runtime/simulated/bursts.o) ;; # the file of this rank, read so far
	runtime/simulated/life.o) ;; # what is between init and finalize
	runtime/simulated/next.o) ;; # what is behind each wrapper
	runtime/simulated/sample.o) ;; # whether a block is measured
	runtime/simulated/words.o) ;; # the tables that follow MPI's objects
	runtime/simulated/clock.o) ;; # which clock this process reads
	runtime/core/ticks.o) ;; # which clock this process reads
	runtime/core/settings_of_job.o) ;; # what it has from the job that spawned it
	runtime/events/call_sites.o) ;; # call sites known, for the whole process
	runtime/events/python_caller.o) ;; # the interpreter, and extensions of it
	runtime/events/region.o) ;; # regions by name, likewise
	runtime/process/dlsym.o) ;; # the C library's dlsym, this library
	runtime/process/dlclose.o) ;; # the real dlclose
	runtime/process/longjmp_hooks.o) ;; # the real longjmp and the like
	runtime/process/thread_calls.o) ;; # the real pthread_create and pthread_join
	runtime/core/nonlocal_exit.o) ;; # the unwinder, once found
	runtime/process/signals.o) ;; # the real sigaction and the like
	runtime/process/sigbus.o) ;; # the program's handler of SIGBUS
	runtime/core/own_stack.o) ;; # whether the thread is on our stack
	runtime/process/no_trace_notice.o) ;; # whether this process began the run
	runtime/mpi/next.o) ;; # what is behind each wrapper
	runtime/mpi/silent_query.o) ;; # whether errors can be kept back
	runtime/mpi/communicators.o | runtime/mpi/neighbours.o | \
		runtime/mpi/spawn*.o) ;; # MPI's objects belong to the process,
	runtime/mpi/request.o) ;; # so do the tables that follow them
	runtime/mpi/handles.o) ;; # and those behind their handles
	runtime/mpi/arrival_probe.o) ;; # and its error handlers, as often as set
	runtime/mpi/request_table.o) ;;
	runtime/order/order_*.o | \
		runtime/mpi/order*.o) ;; # what is recorded and replayed of the order
	runtime/mpi/world.o) ;; # or what takes the place of its world
	runtime/mpi/fortran.o) ;; # and the library's functions, once found
	runtime/pvm/pvm_arrival_probe.o) ;; # whether the program matches messages
	runtime/pvm/contexts.o) ;; # PVM's contexts, groups and tasks
	runtime/pvm/handlers.o) ;; # functions that take messages; the call
	runtime/pvm/pvm_start_stop.o) ;; # the real functions, once found; the start
	runtime/pvm/pvm_hosts.o) ;; # the list of hosts that the program was given
	runtime/pvm/*order*.o) ;; # what is recorded and replayed of the order
	runtime/pvm/task_names.o) ;; # the name of this task
	runtime/pvm/stubs.o) ;; # functions of libfpvm3 in the program
	runtime/pvm/wrap.o) ;; # what calls inside of another tell
	runtime/mpi/init_watchdog.o) ;; # the thread that watches MPI_Init
	runtime/mpi/start_stop.o) ;; # what is between init and finalize
	runtime/mpi/calibrate.o) ;; # call sites and buffers of its loops
	runtime/transport/remote_trace.o) ;; # the connection, and what waits for it
	runtime/mpi/stream_sink.o) ;; # the stream, and what waits for it
	runtime/mpi/share_calibration.o) ;; # what it sends
	runtime/pvm/pvm_calibrate.o) ;; # likewise
	hsplit/own_position.o) ;; # what was read once of host and network
	hsplit/comm_level.o) ;; # the key of its attribute; names of types
	hsplit/agreement.o) ;; # what was said; the code of an error
	options/program_options.o) ;; # old forms that were named
	lib/clocks/parallel_messages.o) ;; # a record that is being packed
	lib/predict/own_deadlock.o) ;; # an action in words, for a message
	lib/predict/simgrid_process.o) ;; # where tape-replay is
	lib/live/receiver.o) ;; # arguments of the program that the process becomes
	lib/live/snapshot_feed.o) ;; # the programs that show snapshots
	lib/correct/lua_model.o) ;; # a model that stops or never ends: a handler sees it
	lib/common/tool.o) ;; # the program's name; the last progress
	lib/common/output.o | lib/common/file_output.o | \
		lib/common/output_cleanup.o) ;; # what to remove should the tool die
	*) return 1 ;;
	esac
}

find "$obj" -name '*.o' | while read -r o; do
	name=${o#"$obj"/}
	# the same sources, compiled once more
	case $name in
	runtime/mpich/*) name=runtime/mpi/${name##*/} ;;
	runtime/simulated/*) name=${name#runtime/simulated/} ;; # in simulated time
	hsplit/mpich/*) name=hsplit/${name##*/} ;;
	hsplit/smpi/*) name=${name#hsplit/smpi/} ;; # in simulated time
	stream/mpich/*) name=stream/${name##*/} ;;
	runtime/pvm_linked/*) name=runtime/pvm/${name##*/} ;; # for archives
	esac
	case $name in
	front/*) continue ;; # a program, as tools are
	tests/* | bench/* | examples/* | tapepp/c.o) continue ;; # flex's own
	tools/*/* | lib/parallel/mpi/*) continue ;;
	esac
	may_have_state "$name" && continue
	objdump -t "$o" | awk -v o="$name" '
		/ (\.bss|\.data|\.tbss|\.tdata|\.data\.rel|\.data\.rel\.local|\*COM\*)\t/ &&
		$NF !~ /^\./ { print o ": " $NF }'
done | none "libraries keep no state but in the objects listed here"

finish
