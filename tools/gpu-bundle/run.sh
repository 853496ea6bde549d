#!/usr/bin/env bash
# Checks and times Sawtooth on the first GPU of this machine, which needs a driver and nothing else.
# Writes report.json and summary.txt here, or into the folder that is given. Exit 0: all bits match;
# 1: something failed; 2: nothing could be checked.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-$here}
tool=$here/bin/sawtooth
summary=$out/summary.txt
give_up() { echo "run.sh: $*" >&2 && exit 2; }
for command in awk cmp mktemp sed tail tee timeout; do
  command -v "$command" >/dev/null || give_up "this machine has no '$command'"
done
mkdir -p "$out" && rm -f "$out/report.json" && : >"$summary" || give_up "cannot write to $out: give a folder"
work=$(mktemp -d) || give_up 'cannot make a folder for temporary files: set TMPDIR'
trap 'rm -rf "$work"' EXIT
say() { echo "$*" | tee -a "$summary"; }
# Everything has four minutes, also where a device hangs.
within() { timeout -k 5 $((SECONDS < 235 ? 240 - SECONDS : 5)) "$@"; }

# The system's own C++ library where it will do: the one here wants a C library as new as that of the
# machine that packed it.
export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$here/lib" SAWTOOTH_CACHE_DIR=
if ! why=$("$tool" --version 2>&1 >/dev/null); then
  LD_LIBRARY_PATH+=:$here/lib/c++
  "$tool" --version >/dev/null 2>&1 || give_up "the programs here do not start: $why"
fi

if ! device=$(within "$here/bin/sawtooth-device" 2>"$work/error"); then
  say "no GPU: $(cat "$work/error")"
  exit 2
fi
case $device in *simulator*) simulated=true ;; *) simulated=false ;; esac
say "device: $device$($simulated && echo ' (times are simulated)')"
failed=0 checks='' times=''

check() { # check NAME COMMAND...: runs it, and notes whether it went well
  local name=$1 ok=true begin=$SECONDS
  shift
  "$@" >"$work/log" 2>&1 || { ok=false failed=$((failed + 1)); }
  say "$(printf '%-28s %s (%d s)' "$name" "$($ok && echo ok || echo FAILED)" $((SECONDS - begin)))"
  $ok || sed 's/^/    /' "$work/log" | tail -n 5 | tee -a "$summary"
  checks+="${checks:+, }{\"name\": \"$name\", \"passed\": $ok}"
}

golden() { # golden NAME: the state after the case's runs is that of the CPU, bit for bit
  local folder=$here/golden/$1 arguments=()
  mapfile -t arguments <"$folder/arguments"
  (cd "$folder" && within "$tool" run "$here/artifacts/$1.so" --target=nvptx "${arguments[@]}" \
    --save "$work/state.safetensors" --log "$work/log.jsonl") &&
    cmp "$work/state.safetensors" "$folder/state.safetensors" && cmp "$work/log.jsonl" "$folder/log.jsonl"
}
for folder in "$here"/golden/*/; do
  name=$(basename "$folder")
  check "bits of $name" golden "$name"
done
check 'capture and replay' within "$here/bin/sawtooth-graph-check" "$here/artifacts/arguments.so"

time_list() { # time_list NAME LIST STEPS
  local name=$1 list=$2
  if within "$tool" bench "$here/artifacts/adamw.so" --target=nvptx --tensors "$list" --steps "$3" --json \
    >"$work/bench.json" 2>"$work/error"; then
    times+="${times:+, }\"$name\": $(cat "$work/bench.json")"
    say "$(printf '%-28s %s' "AdamW on $name" "$(awk -F'[:,]' '
      /"median"/ && !step { step = $2 } /"ratio_to_bound"/ { ratio = $2 } /"copy_bytes_per_second"/ { copy = $2 }
      /"parameters"/ { n = $2 }
      END { printf "%.1f M parameters: %.3f ms a step, %.3f of the time of a copy of as many bytes (%.0f GB/s)",
            n / 1e6, step * 1e3, ratio, copy / 1e9 }' "$work/bench.json")")"
  else
    failed=$((failed + 1))
    say "AdamW on $name: FAILED: $(tail -n 1 "$work/error")"
  fi
}
if $simulated; then
  for name in gpt2 gpt2-xl llama-7b; do time_list "$name" 4x2000 3; done
else
  time_list gpt2 gpt2 50
  time_list gpt2-xl gpt2-xl 20
  time_list llama-7b llama-7b 10
fi

printf '{"device": "%s", "simulated": %s, "passed": %s, "seconds": %d, "checks": [%s], "times": {%s}}\n' \
  "$device" "$simulated" "$([ $failed = 0 ] && echo true || echo false)" "$SECONDS" "$checks" "$times" >"$out/report.json"
say "$([ $failed = 0 ] && echo 'everything passed' || echo "$failed failed") in $SECONDS s; details in $out/report.json"
[ $failed = 0 ]
