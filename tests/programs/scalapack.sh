#!/bin/bash
# More of ScaLAPACK's test programs: up to five million calls each.
exec "$(dirname "$0")/../e2e/scalapack.sh" xdlu xdtrd xdls
