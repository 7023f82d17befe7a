#!/bin/bash
# All tests of OpenCoarrays that end by themselves and well without Tape, also
# those that take a while.
exec "$(dirname "$0")/../e2e/coarrays.sh" all
