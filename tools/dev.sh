#!/usr/bin/env bash
# One command for everything a developer or a curious visitor does with the project.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build_dir=${SAWTOOTH_BUILD_DIR:-$PWD/build}
llvm=22
packages=(
  cmake ninja-build ccache python3
  clang-$llvm lld-$llvm llvm-$llvm-dev llvm-$llvm-tools libmlir-$llvm-dev mlir-$llvm-tools
  libomp-$llvm-dev libzstd-dev zlib1g-dev libgtest-dev nlohmann-json3-dev libcli11-dev libxxhash-dev
)
sanitizer_packages=(libclang-rt-$llvm-dev)
format_packages=(clang-format-$llvm)

usage() {
  cat <<TXT
usage: tools/dev.sh COMMAND

  demo        build, then train a digit classifier in fp16 from one .mlir file
  test        build and run every test
  build       build everything
  sanitize    build and run the tests under AddressSanitizer and UBSan (build-asan/)
  format      format the C++ sources in place
  gpu-bundle  pack build/gpu-bundle, a folder whose run.sh checks and times everything on a
              machine with a GPU and its driver alone
  docs        regenerate the reference pages in docs/

Installs what is missing from Debian's packages, builds into build/ (SAWTOOTH_BUILD_DIR
overrides) and does no work twice. Elsewhere than on Debian 12: install LLVM/MLIR $llvm and run
cmake --preset default -DMLIR_DIR=PREFIX/lib/cmake/mlir
TXT
}

phase_name='' phase_start=0
phase() { # phase NAME: ends the phase before and begins the next
  local now; now=$(date +%s)
  if [ -n "$phase_name" ]; then
    echo "== $phase_name took $((now - phase_start)) s" >&2
  fi
  phase_name=$1 phase_start=$now
  if [ -n "$phase_name" ]; then echo "== $phase_name" >&2; fi
}

# Installs those of the given packages that are missing. Says which before it does.
need() {
  local missing=() package
  for package in "$@"; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || {
    echo "dev.sh: missing ${missing[*]}, and this is no Debian: install LLVM/MLIR $llvm, CMake, Ninja and the rest by hand" >&2
    exit 1
  }
  phase "install ${missing[*]}"
  local root=()
  [ "$(id -u)" = 0 ] || root=(sudo)
  export DEBIAN_FRONTEND=noninteractive
  "${root[@]}" apt-get update -qq >&2
  if ! apt-cache show "libmlir-$llvm-dev" >/dev/null 2>&1; then
    echo "dev.sh: no package libmlir-$llvm-dev: on Debian 12 it comes from the security suite; add" >&2
    echo "  'bookworm-security main' to the package sources and run this again" >&2
    exit 1
  fi
  "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

build() { # build PRESET DIRECTORY [TARGET...]
  local preset=$1 dir=$2
  shift 2
  if [ ! -f "$dir/build.ninja" ]; then
    phase configure
    cmake --preset "$preset" -B "$dir" >&2
  fi
  phase build
  cmake --build "$dir" ${1:+--target "$@"} >&2
}

command=${1:-}
case "$command" in
build)
  need "${packages[@]}"
  build default "$build_dir"
  phase ''
  ;;
demo)
  need "${packages[@]}"
  build default "$build_dir" sawtooth
  phase 'train examples/digits/train.mlir'
  "$build_dir/bin/sawtooth" run examples/digits/train.mlir --data examples/digits/digits.safetensors
  phase ''
  ;;
test)
  need "${packages[@]}"
  build default "$build_dir"
  phase test
  exec ctest --test-dir "$build_dir" --output-on-failure -j "$(nproc)"
  ;;
sanitize)
  need "${packages[@]}" "${sanitizer_packages[@]}"
  build asan "$PWD/build-asan"
  phase test
  exec ctest --test-dir "$PWD/build-asan" --output-on-failure -j "$(nproc)"
  ;;
format)
  need "${format_packages[@]}"
  git ls-files -z -- '*.h' '*.cpp' | xargs -0 "clang-format-$llvm" -i
  ;;
gpu-bundle)
  need "${packages[@]}"
  build default "$build_dir" sawtooth sawtooth-device sawtooth-graph-check
  phase 'pack the bundle'
  python3 tools/gpu-bundle/pack.py "$build_dir" "$build_dir/gpu-bundle"
  phase ''
  ;;
docs)
  need "${packages[@]}"
  build default "$build_dir" sawtooth-docs
  phase ''
  ;;
-h | --help | help)
  usage
  ;;
*)
  usage >&2
  exit 2
  ;;
esac
