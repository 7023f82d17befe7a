#!/bin/bash
# NWChem: Fortran and C over Global Arrays, which communicate by windows, with
# locks, flushes, MPI_Fetch_and_op and MPI_Get_accumulate.
. "$(dirname "$0")/../e2e/programs.bash"
need nwchem.openmpi

mkdir nwchem
cat >nwchem/h2o.nw <<'END'
start h2o
geometry units angstroms
 O 0.0 0.0 0.1173
 H 0.0 0.7572 -0.4692
 H 0.0 -0.7572 -0.4692
end
basis
 * library sto-3g
end
task scf energy
END
# Energies stay, but for the last of their printed digits: sums come in the
# order of arrival. How tasks were shared out, and times, differ.
neutral_nwchem()
{
	grep -E 'Total SCF energy|One-electron|Two-electron|repulsion|iterations|converged|symmetry|basis|atoms' |
		sed -E 's/(\.[0-9]{6})[0-9]+/\1/g; /[Tt]ime/d'
}
lines=5 program nwchem nwchem.openmpi 50000 run.out -- h2o.nw
finish
