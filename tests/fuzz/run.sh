#!/bin/sh
# run.sh BUILD SECONDS TARGET...: runs the fuzz targets, one after another. New
# inputs go to BUILD/fuzz/new-TARGET, findings to BUILD/fuzz/finding-*.
# Ends with 1 when there is a finding. Called by make fuzz.
set -u
B=$1 seconds=$(($2 / ($# - 2)))
shift 2
here=$(dirname "$0") bad=0
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1}
for target; do
	mkdir -p "$B/fuzz/new-$target"
	words=$here/$target.dict
	[ -f "$words" ] || words=$here/reader.dict
	nice -n 19 "$B/fuzz/$target" -max_total_time="$seconds" -timeout=10 \
		-rss_limit_mb=3000 -max_len=8000 -print_final_stats=1 \
		-dict="$words" \
		-artifact_prefix="$B/fuzz/finding-$target-" \
		"$B/fuzz/new-$target" "$here/corpus/$target" || bad=1
done
exit $bad
