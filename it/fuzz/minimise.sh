#!/usr/bin/env bash
# Adds inputs that it/fuzz/run.sh has found to the corpus: as few small inputs as possible that
# together reach the same code as all small inputs. Keeps seeds and finds; inputs that were added
# earlier are selected anew.
#
#   it/fuzz/minimise.sh [TARGET…]
set -euo pipefail
cd "$(dirname "$0")"

most_bytes=4096
for work in target/work/*/; do
  target=$(basename "$work")
  [ $# -eq 0 ] || [[ " $* " == *" $target "* ]] || continue
  small=target/small/$target
  rm -rf "$small"
  mkdir -p "$small" "corpus/$target"
  find "corpus/$target" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' \
    -exec mv -t "$small" {} +
  find "$work/corpus" -type f -size -"$((most_bytes + 1))"c -exec cp -t "$small" {} +
  # Compares only which code the inputs reach. A comparison of how often the code runs would keep
  # thousands of inputs.
  ./jazzer.sh "$target" -merge=1 -set_cover_merge=1 -use_counters=0 "corpus/$target" "$small" \
    >"$work/merge.log" 2>&1
  echo "$target: $(find "corpus/$target" -type f | wc -l) inputs"
done
