#!/bin/bash
# Tape cross-compiled for aarch64, under qemu: unit tests, golden cases, tests of
# the reader and a traced run of two ranks, which the tools of this machine read.
# What it fetches and builds stays in the build folder.
# Truth: those of the tests; messages that the program says it sent.
MPI=mpich
. "$(dirname "$0")/../e2e/tap.bash"
need aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ qemu-aarch64 apt-get dpkg-deb mpirun
rig=$TAPE_TOP/tests/rigs/aarch64
at=$TAPE_BUILD/aarch64
arm=$at/build
export SYSROOT=$at/sysroot
if ! "$rig/sysroot" "$SYSROOT" >sysroot.log 2>&1; then
	sed 's/^/# /' sysroot.log
	skip "aarch64" "packages for aarch64 cannot be fetched"
	finish
fi

# ---- the tools of the machine that is built for, under the names of this one's ----
tools=$at/tools
mkdir -p "$tools"
for name in cc c++ mpicc; do ln -sf "$rig/cc" "$tools/$name"; done
printf '#!/bin/sh\nexec readelf -d "$1.elf"\n' >"$tools/ldd"
printf '#!/bin/sh\nexec qemu-aarch64 -R 4G -L %q %q "$@"\n' "$SYSROOT" \
	"$SYSROOT/usr/bin/python3.11" >"$tools/python3"
chmod +x "$tools/ldd" "$tools/python3"
libraries=$SYSROOT/usr/lib/aarch64-linux-gnu
cross=("CC=$tools/cc" "MPICC=$tools/mpicc" MPICC_OPENMPI=none SMPICC=none
	"PKG_CONFIG_SYSROOT_DIR=$SYSROOT" "PYTHON=$tools/python3"
	"PKG_CONFIG_LIBDIR=$libraries/pkgconfig:$SYSROOT/usr/share/pkgconfig")

# ---- it builds ----
units=()
for f in "$TAPE_TOP"/tests/unit/*.c; do
	f=${f##*/}
	units+=("$arm/unit/${f%.c}")
done
ok "it is built without a warning" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
	"${cross[@]}" make -s --no-print-directory -C "$TAPE_TOP" "B=$arm" DEV=1 \
	all "${units[@]}"
ok "for aarch64" holds AArch64 <(readelf -h "$arm/bin/tico.elf")

# ---- the tests, each as one ----
env "${cross[@]}" PATH="$arm/bin:$tools:$PATH" TEST_TIMEOUT=1800 \
	"$TAPE_TOP/tests/run" "$arm" "${units[@]}" tests/golden/run.sh \
	tests/e2e/reader.sh tests/e2e/replay.sh >report 2>&1
while IFS= read -r line; do
	case $line in
	*" 0 failed "*) say_ok "${line%% *}: ${line#* }" ;;
	*) say_not_ok "${line%% *}: ${line#* }" ;;
	esac
done < <(grep -E '^[^ ]+ +[0-9]+ passed +[0-9]+ failed' report | tr -s ' ')
ok "no test is left out" equal "$(grep -cE '^[^ ]+ +[0-9]+ passed' report)" \
	"$((${#units[@]} + 3))"
[ "$failed" = 0 ] || sed -n 's/^    /# /p' report

# ---- a traced run ----
cat >sends.c <<'END'
#include <mpi.h>
#include <stdio.h>

enum { ROUNDS = 20, MOST = 100 * ROUNDS + 2 };

int main(int argc, char **argv)
{
	static char data[MOST];
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < ROUNDS; i++)
		for (int sender = 0; sender < 2; sender++) {
			int n = 100 * i + sender;

			if (rank != sender) {
				MPI_Recv(data, MOST, MPI_CHAR, sender, i,
					 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
				continue;
			}
			MPI_Send(data, n, MPI_CHAR, !rank, i, MPI_COMM_WORLD);
			printf("%d %d %d %d sends.c\n", rank, !rank, n, i);
		}
	MPI_Finalize();
	return 0;
}
END
ok "a program is compiled" "$tools/mpicc" -g -O1 -o sends sends.c
ok "and linked with the tracer" "$tools/mpicc" -g -O1 -o linked sends.c \
	-L"$arm/lib" -Wl,-rpath,"$arm/lib" -ltape-mpich
# messages TRACE: from, to, bytes, tag and source file, by this machine's tapedump
messages()
{
	"$TAPE_BUILD/bin/tapedump" --messages -c "$1" | awk -F, '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["state"] == "matched" {
			site = $at["send_site"]
			sub(/^.*\(/, "", site)
			sub(/:.*/, "", site)
			print $at["from"], $at["to"], $at["received"], $at["tag"], site
		}' | sort
}
run run timeout 300 mpirun -np 2 "$arm/bin/taperun" -o run.tape ./sends
ok "taperun: it ends well" equal "$(cat run.rc)" 0
ok "taperun: it sent 40 messages" equal "$(wc -l <run.out)" 40
ok "taperun: they are in the trace" equal "$(messages run.tape)" "$(sort run.out)"
run linked timeout 300 mpirun -np 2 ./linked
ok "linked: it ends well" equal "$(cat linked.rc)" 0
ok "linked: its messages are in the trace" equal "$(messages linked.elf.tape)" \
	"$(sort linked.out)"
for tool in tapedump "tapestat -a"; do
	ok "$tool: both machines' say the same" equal \
		"$("$arm/bin/"$tool run.tape 2>&1)" \
		"$("$TAPE_BUILD/bin/"$tool run.tape 2>&1)"
done
finish
