#!/usr/bin/env bash
# Fuzzes the code that reads hostile bytes, one target after the other, and keeps the inputs that
# reach new code.
#
#   it/fuzz/run.sh SECONDS [TARGET…]     after ./mvnw -Pfuzz -pl it/fuzz -am -DskipTests package
#
# The failing inputs and the corpus so far are in it/fuzz/target/work/TARGET/; minimise.sh adds the
# useful inputs of that corpus to the corpus in git. Exits with 1 if a target has failed.
set -euo pipefail
cd "$(dirname "$0")"

seconds=${1:?seconds for each target}
shift
mapfile -t all < <(find target/classes -name '*Fuzz.class' -printf '%f\n' | sed 's#Fuzz\.class$##' | sort)

found=0
for target in "${all[@]}"; do
  [ $# -eq 0 ] || [[ " $* " == *" $target "* ]] || continue
  work=target/work/$target
  mkdir -p "$work/corpus" "corpus/$target"
  echo "$target: $seconds s"
  ./jazzer.sh "$target" --reproducer_path="$work" -artifact_prefix="$work/" \
    -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=16384 -use_value_profile=1 \
    -print_final_stats=1 "$work/corpus" "corpus/$target" >>"$work/log" 2>&1 || {
    found=1
    echo "$target: see $(pwd)/$work/log"
    grep -a -A12 '== Java Exception\|ERROR: libFuzzer' "$work/log" | tail -14
  }
  grep -a 'cov:' "$work/log" | tail -1
done
exit $found
