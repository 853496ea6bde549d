// RUN: sawtooth-opt %s --kernel-to-llvm --verify-diagnostics --split-input-file

// expected-error @below {{expected both of the attributes sawtooth.plan and sawtooth.functions, got one}}
module attributes {sawtooth.plan = "plan bytes"} {
}
