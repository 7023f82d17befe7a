#!/bin/bash
# Which tracing library a program gets, with Open MPI and MPICH side by side:
# by the file, by what it loads, by the launcher, by what scripts start; and
# tapecc by its compiler.
# Truth: the family of MPI that each program was built with.
. "$(dirname "$0")/tap.bash"
need mpirun.openmpi mpicc.openmpi mpiexec.mpich mpicc.mpich

cat >sum.c <<'C'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int me, sum;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!me)
		printf("sum %d\n", sum);
	return MPI_Finalize();
}
C
mpicc.openmpi -w sum.c -o by_openmpi && mpicc.mpich -w sum.c -o by_mpich ||
	{ echo "Bail out! sum.c does not compile"; exit 1; }
openmpi="Open%20MPI%20" mpich="MPICH%20"

# traced LIBRARY TRACE RANKS: status 0, the right sum, the library that meta has
traced()
{
	equal "$(cat run.rc) $(cat run.out)" "0 sum $(($3 * ($3 - 1) / 2))" &&
		equal "$(cat run.err)" "" &&
		holds "^library $1" "$2.tape/meta" &&
		equal "$(events "$2.tape" 0 MPI_Allreduce)" 1
}

# chosen NAME LIBRARY RANKS COMMAND...: its trace is NAME.tape
chosen()
{
	local name=$1 library=$2 ranks=$3

	shift 3
	run run "$@"
	ok "$name" traced "$library" "${name// /_}" "$ranks"
}
while IFS='|' read -r name library command; do
	# shellcheck disable=SC2086 # words
	chosen "$name" "${!library}" 2 env TAPE_TRACE="${name// /_}" $command
done <<'END'
behind mpirun|openmpi|mpirun.openmpi -np 2 taperun ./by_openmpi
before mpirun|openmpi|taperun mpirun.openmpi -np 2 ./by_openmpi
behind mpiexec|mpich|mpiexec.mpich -np 2 taperun ./by_mpich
before mpiexec|mpich|taperun mpiexec.mpich -np 2 ./by_mpich
before several programs|mpich|taperun mpiexec.mpich -np 1 ./by_mpich : -np 1 ./by_mpich
before hydra|mpich|taperun mpiexec.hydra -np 2 ./by_mpich
behind env|mpich|mpiexec.mpich -np 2 taperun env A=b ./by_mpich
the wrong one asked for|mpich|mpiexec.mpich -np 2 taperun --library openmpi ./by_mpich
the other wrong one|openmpi|mpirun.openmpi -np 2 taperun --library mpich ./by_openmpi
END
ok "alone, by the file" eval 'run run taperun -o alone ./by_mpich &&
	traced "$mpich" alone 1'

# A library that the program loads knows MPI, the program does not.
cat >part.c <<'C'
int main(int argc, char **argv);
C
sed 's/int main/int part/' sum.c >part.c
echo 'int part(int, char **); int main(int c, char **v) { return part(c, v); }' \
	>whole.c
mpicc.mpich -w -shared -fPIC part.c -o libpart.so &&
	gcc whole.c -L. -lpart -Wl,-rpath,"$work" -Wl,--as-needed -o whole
ok "the program itself needs no MPI library" \
	equal "$(readelf -d whole | grep -c 'NEEDED.*libmpi')" 0
chosen "by a library's library" "$mpich" 2 env \
	TAPE_TRACE="by_a_library's_library" mpiexec.mpich -np 2 taperun ./whole

# Scripts start what they like.
for word in openmpi mpich; do
	launcher=mpirun.openmpi
	[ $word = openmpi ] || launcher=mpiexec.mpich
	printf '#!/bin/sh\n%s -np 2 ./by_%s\n' $launcher $word >start_$word
	chmod +x start_$word
	chosen "a script of $word" "${!word}" 2 \
		env TAPE_TRACE="a_script_of_$word" taperun ./start_$word
	printf '#!/bin/sh\nexec ./by_%s\n' $word >each_$word
	chmod +x each_$word
	chosen "a script for each process of $word" "${!word}" 2 env \
		TAPE_TRACE="a_script_for_each_process_of_$word" \
		$launcher -np 2 taperun ./each_$word
done

# Python loads its MPI when the script says so.
if command -v python3 >/dev/null; then
	cat >load.py <<'P'
import ctypes, sys
mpi = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
mpi = ctypes.CDLL(None)
mpi.MPI_Init(None, None)
rank = ctypes.c_int()
world = 0x44000000
mpi.MPI_Comm_rank(world, ctypes.byref(rank))
total = ctypes.c_int()
mpi.MPI_Allreduce(ctypes.byref(rank), ctypes.byref(total), 1, 0x4c000405,
		  0x58000003, world)
if rank.value == 0:
	print("sum", total.value)
mpi.MPI_Finalize()
P
	chosen "python by its launcher" "$mpich" 2 env \
		TAPE_TRACE=python_by_its_launcher mpiexec.mpich -np 2 \
		taperun python3 load.py libmpich.so.12
else
	skip "python by its launcher" "python3 is not installed"
fi

# ---- what is refused, what is said ----

# refused WORDS STATUS COMMAND...: one sentence, and nothing is run
refused()
{
	local words=$1 status=$2

	shift 2
	run refused "$@"
	equal "$(cat refused.rc) $(cat refused.out)" "$status " &&
		equal "$(wc -l <refused.err)" 1 && holds "$words" refused.err
}
ok "-m of neither" refused \
	'^taperun: lam: expected openmpi, mpich or pvm' 2 taperun --library lam ./by_mpich
mpicc.mpich -w sum.c -o both -Wl,--no-as-needed \
	"$(ldd by_openmpi | awk '$1 ~ /^libmpi\.so/ { print $3 }')"
ok "a program of both" refused 'uses both Open MPI and MPICH' 1 \
	taperun ./both
mkdir -p half/bin half/lib
cp "$TAPE_BUILD/bin/taperun" half/bin
cp "$TAPE_BUILD/lib/libtape-mpi.so" half/lib
ok "no tracing library for it" refused \
	'./by_mpich: uses MPICH, but the tracing library .* is not installed' 1 \
	half/bin/taperun ./by_mpich
run plain mpiexec.mpich -np 1 ./by_mpich
run half half/bin/taperun ./start_mpich
half()
{
	equal "$(cat half.rc) $(cat half.out)" "0 sum 1" &&
		holds '^tape: the program uses MPICH, but .* is not installed' half.err
}
ok "no tracing library for what a script starts: it is run, untraced" half
printf 'int main(void) { return 3; }\n' >static.c
if gcc -static static.c -o static 2>/dev/null; then
	run static taperun ./static
	static()
	{
		equal "$(cat static.rc) $(wc -l <static.err)" "3 1" &&
			holds 'is linked statically' static.err
	}
	ok "a static program is run, with a sentence" static
fi
# what a file holds may be anything
for n in 5 63 64 100 200; do
	head -c $n by_mpich >cut && chmod +x cut
	run cut taperun ./cut
	[ "$(cat cut.rc)" -lt 128 ] || break
done
ok "files that end early are no trouble" \
	equal "$([ "$(cat cut.rc)" -lt 128 ] && echo well)" well

# ---- tapecc, linking ----

with_tapecc()
{
	MPICC=$1 tapecc -w sum.c -o "$1.out" &&
		readelf -d "$1.out" | grep -q "NEEDED.*\[libtape-$2.so\]" &&
		TAPE_TRACE=$1 run run "$3" -np 2 "./$1.out" &&
		traced "$4" "$1" 2 && tapedump "$1.tape" >text
}
ok "MPICC=mpicc.mpich tapecc" with_tapecc mpicc.mpich mpich mpiexec.mpich \
	"$mpich"
ok "MPICC=mpicc.openmpi tapecc" with_tapecc mpicc.openmpi mpi mpirun.openmpi \
	"$openmpi"
ok "MPICC=tapecc is no endless call" eval \
	'MPICC=tapecc tapecc -w sum.c -o again && run run ./again && equal "$(cat run.rc)" 0'

# A real program: NetPIPE, as Debian links it with MPICH.
if command -v NPmpich2 >/dev/null; then
	run np mpiexec.mpich -np 2 taperun -o np NPmpich2 -u 1000 -n 20
	netpipe()
	{
		equal "$(cat np.rc)$(end_of np.tape 0)$(end_of np.tape 1)" \
			"0finalize 0finalize 0" &&
			[ "$(events np.tape 0 MPI_Send)" -gt 500 ] &&
			lacks '^tape: ' np.err && sba -o nps.tape np.tape >out &&
			holds '0 violations before.* 0 after' out &&
			tico -o npt.tape nps.tape >out 2>err &&
			equal "$(cat err)" "" &&
			lacks 'unmatched|partner missing|unknown requests' out
	}
	ok "NetPIPE" netpipe
else
	skip "NetPIPE" "netpipe-mpich2 is not installed"
fi
finish
