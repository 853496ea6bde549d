# Fails if ARCHIVE refers to a symbol of LLVM or MLIR.
execute_process(COMMAND ${NM} --undefined-only ${ARCHIVE} OUTPUT_VARIABLE symbols
  RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "cannot list the symbols of ${ARCHIVE}")
endif()
# What must be there, so that a listing without symbols does not pass.
if(NOT symbols MATCHES "U mmap")
  message(FATAL_ERROR "expected ${ARCHIVE} to use mmap; is it the runtime?")
endif()
string(REGEX MATCHALL "U [^\n]*(N4llvm|N4mlir|LLVM|mlir)[^\n]*" foreign "${symbols}")
if(foreign)
  message(FATAL_ERROR "the runtime refers to LLVM: ${foreign}")
endif()
