#!/bin/bash
# MIT Photonic Bands: C below Scheme, with fields written by MPI-IO (HDF5).
. "$(dirname "$0")/../e2e/programs.bash"
need mpb-mpi

mkdir mpb
cat >mpb/in.ctl <<'END'
(set! num-bands 4)
(set! k-points
  (list (vector3 0 0 0) (vector3 0.5 0 0) (vector3 0.5 0.5 0)))
(set! geometry (list (make cylinder (center 0 0 0) (radius 0.2)
  (height infinity) (material (make dielectric (epsilon 12))))))
(set! geometry-lattice (make lattice (size 1 1 no-size)))
(set! resolution 16)
(set! deterministic? true)
(run-te)
END
# The frequencies; how many steps led there depends on the order of sums.
neutral_mpb() { grep -E '^tefreqs' | sed -E 's/(\.[0-9]{4})[0-9]+/\1/g'; }
lines=4 program mpb mpb-mpi 2000 run.out -- in.ctl
finish
