// Part of the Sawtooth project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the sanitizers have to know, linked into every program of a sanitized build, so that each
// behaves in a test, in a debugger and in a shell alike. ASAN_OPTIONS and the like still override.
//
// Not instrumented, hence not seen by them: LLVM and MLIR (the system's builds), the C++ library,
// and the code that Sawtooth compiles. Whoever passes a wrong pointer to these is caught only where
// they call back, or where they free it.

extern "C" {

const char *__asan_default_options() {
  // LLVM's allocators, being inline, would poison in our files what LLVM's own files then use. The
  // tool's handler of crashes would keep back the report.
  return "allow_user_poisoning=0:allow_user_segv_handler=0";
}

const char *__ubsan_default_options() { return "print_stacktrace=1"; }

const char *__lsan_default_suppressions() { return ""; }

} // extern "C"
