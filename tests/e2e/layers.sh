#!/bin/bash
# A profiling layer of the user's (layer.c) and Tape in one program, in any
# order: both see the calls, or one line says which of them does not.
# Truth: a layer of the user, which counts the calls.
. "$(dirname "$0")/tap.bash"
need mpirun mpicc
L=$TAPE_BUILD/lib
cc() { mpicc -O1 -g -w "$@" || { echo "Bail out! $*"; exit 1; }; }
shared() { cc -shared -fPIC "${@:2}" -o "$1" "$here/layer.c" -ldl; }
here_rpath=-Wl,-rpath,$work
shared libuser.so
shared libchain.so -DCHAIN
shared libpart.so -DPART
link=(-L. "$here_rpath" -L"$L" "-Wl,-rpath,$L" -Wl,--no-as-needed)
cc -o plain "$here/layered.c"
cc -o shared "$here/layered.c" "${link[@]}" -luser
cc -o static "$here/layered.c" "$here/layer.c"
cc -o static_part -DPART "$here/layered.c" "$here/layer.c"
cc -o static_chain -DCHAIN "$here/layered.c" "$here/layer.c" -ldl
cc -no-pie -o static_nopie "$here/layered.c" "$here/layer.c"
cc -o us_first "$here/layered.c" "${link[@]}" "-l$tracer" -luser
cc -o us_last "$here/layered.c" "${link[@]}" -luser "-l$tracer"
cc -o us_last_chain "$here/layered.c" "${link[@]}" -lchain "-l$tracer"
cc -c -o layer.o "$here/layer.c"
MPICC=mpicc tapecc -g -o source "$here/layered.c" layer.o 2>source.log ||
	cat source.log

whole="MPI_Barrier 2 MPI_Comm_rank 2 MPI_Finalize 2 MPI_Init 2 MPI_Recv 5 MPI_Send 5"
tally()
{
	tapedump -i "$1" 2>/dev/null |
		awk '$1 ~ /^MPI_/ { print $1, $3 }' | sort | paste -sd' '
}

# counted NAME [LAYER]: the layer of each rank saw what it sees without Tape
counted()
{
	equal "$(cat "$1.rc") $(sort "$1.out" | paste -sd,)" "0 ${2-$all}"
}
# both NAME [LAYER [TRACE]]
all="layer: 0 sends,layer: 5 sends,layer: level 1,layer: level 1"
both()
{
	counted "$1" "${2-$all}" && equal "$(cat "$1.err")" "" &&
		equal "$(tally "$1.tape")" "${3-$whole}"
}
# what a layer before ours calls itself are calls like others
asking=${whole/Comm_rank 2/Comm_rank 9} asking=${asking/Barrier 2/Barrier 4}
part="layer: 0 sends,layer: 5 sends"

# ---- both see everything ----

run a mpirun -np 2 taperun -o a ./shared
ok "a layer linked as a library, taperun" both a
run b mpirun -np 2 env LD_PRELOAD="$work/libuser.so" taperun -o b ./plain
ok "a layer preloaded before taperun" both b
run c mpirun -np 2 env LD_PRELOAD="$work/libpart.so" taperun -o c ./plain
ok "a layer of one call" both c "$part"
run d mpirun -np 2 taperun -o d env \
	sh -c 'LD_PRELOAD='"$work"'/libchain.so:$LD_PRELOAD exec ./plain'
ok "a layer before ours that hands calls on" both d "$all" "$asking"
run e env TAPE_TRACE=e mpirun -np 2 ./us_first
ok "-l$tracer -luser" both e
run f env TAPE_TRACE=f mpirun -np 2 ./us_last_chain
ok "a layer that hands calls on, -l$tracer behind it" both f "$all" "$asking"
run g mpirun -np 2 taperun -o g ./static_chain
ok "a layer in the program that hands calls on" both g "$all" "$asking"
run h mpirun -np 2 taperun -o h -s groups=none -s calls=MPI_Barrier ./shared
ok "what is not recorded reaches the layer" counted h
if [ "$MPI" = openmpi ]; then
	run i taperun -o i mpirun -x LD_PRELOAD="$work/libuser.so" -np 2 ./plain
	ok "mpirun -x LD_PRELOAD=..., behind taperun" both i
	run j env LD_PRELOAD="$work/libuser.so" taperun -o j \
		mpirun -x LD_PRELOAD -np 1 ./plain : -np 1 ./plain
	ok "mpirun -x LD_PRELOAD, two programs" both j
else
	run i taperun -o i mpirun -genv LD_PRELOAD "$work/libuser.so" -np 2 ./plain
	ok "mpirun -genv LD_PRELOAD ..., behind taperun" both i
	run j timeout 60 taperun -o j mpirun \
		-np 1 -env LD_PRELOAD "$work/libpart.so" ./plain : -np 1 ./plain
	ok "mpirun -env LD_PRELOAD ... of one program" \
		both j "layer: 5 sends"
fi

# ---- one hides the other: said once ----

# hidden NAME WORDS [TALLY]
hidden()
{
	equal "$(grep -c '^tape: ' "$1.err") $(wc -l <"$1.err")" "1 1" &&
		holds "$2" "$1.err" && equal "$(tally "$1.tape")" "${3-}"
}
before="defines MPI_Init, MPI_Finalize and 2 more and is loaded before Tape. It does not forward"
run k mpirun -np 2 taperun -o k ./static
ok "a layer in the program: it counts" counted k
ok "a layer in the program: said" hidden k "^tape: .*static $before"
run l mpirun -np 2 taperun -o l ./static_nopie
ok "the same in a program at a fixed address" hidden l "static_nopie $before"
run m mpirun -np 2 taperun -o m ./static_part
ok "one call in the program: said, the others are traced" \
	hidden m 'static_part defines MPI_Send and is loaded before Tape' \
	"MPI_Barrier 2 MPI_Comm_rank 7 MPI_Finalize 2 MPI_Init 2 MPI_Recv 5"
run n env TAPE_TRACE=n mpirun -np 2 ./us_last
ok "-luser -l$tracer: the layer counts" counted n
ok "-luser -l$tracer: said" hidden n "libuser.so $before"
run o env TAPE_TRACE=o mpirun -np 2 ./source
ok "compiled by tapecc, a layer in the program: said" hidden o \
	"source defines MPI_Init, MPI_Finalize and 2 more itself. Its wrapper does not see calls in sources compiled with tapecc; Tape records them" \
	"$whole"
cc -o backwards "$here/layered.c" -Wl,--no-as-needed \
	$(mpicc -show | tr ' ' '\n' | grep -E '^-(L|lmpi)') "-L$L" \
	"-Wl,-rpath,$L" "-l$tracer"
run p env TAPE_TRACE=p mpirun -np 2 ./backwards
ok "linked behind the MPI library: said" \
	hidden p 'libmpi.* defines MPI_Init'
run q mpirun -np 2 taperun -o q ./plain
ok "no layer: no word" equal "$(cat q.rc q.err) $(tally q.tape)" "0 $whole"

# ---- Fortran ----

fc=$(command -v mpifort.$MPI || command -v mpifort)
if [ -n "$fc" ] && command -v gfortran >/dev/null; then
	cat >f.f90 <<-'END'
	program f
	  use mpi
	  implicit none
	  integer :: me, i, x, ierr
	  x = 0
	  call mpi_init(ierr)
	  call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
	  do i = 1, 5
	    if (me == 0) call mpi_send(x, 1, MPI_INTEGER, 1, i, MPI_COMM_WORLD, ierr)
	    if (me == 1) call mpi_recv(x, 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
	  end do
	  call mpi_barrier(MPI_COMM_WORLD, ierr)
	  call mpi_finalize(ierr)
	end program
	END
	shared libfuser.so -DFORTRAN
	"$fc" -g -o f f.f90 -L. "$here_rpath" -lfuser || exit 1
	run r mpirun -np 2 taperun -o r ./f
	ok "a layer of Fortran" both r "$part"
	"$fc" -g -o fc f.f90 -Wl,--no-as-needed -L. "$here_rpath" -lpart ||
		exit 1
	run splain mpirun -np 2 ./fc
	run s mpirun -np 2 taperun -o s ./fc
	ok "a layer in C and a program in Fortran: what it sees without Tape" \
		equal "$(sort s.out)" "$(sort splain.out)"
	ok "a layer in C and a program in Fortran: traced" \
		equal "$(cat s.rc s.err) $(tally s.tape)" "0 $whole"
else
	skip "Fortran" "mpi mpifort is not installed"
fi
finish
