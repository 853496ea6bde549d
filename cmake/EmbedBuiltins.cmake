cmake_minimum_required(VERSION 3.25)
# Writes the files of rules, policies and layers as a table that amp/Builtins.cpp includes:
#   cmake -DOUTPUT=FILE -DROOT=dialects/amp -P EmbedBuiltins.cmake
# One row for each symbol: its name, its kind, its file, and the index of the file's text.
file(GLOB files RELATIVE ${ROOT} ${ROOT}/rules/*.mlir ${ROOT}/policies/*.mlir ${ROOT}/layers/*.mlir)
list(SORT files)
set(texts "")
set(rows "")
set(seen "")
set(index 0)
foreach(file IN LISTS files)
  file(READ ${ROOT}/${file} text)
  string(APPEND texts "    R\"__mlir__(${text})__mlir__\",\n")
  # CMake lists split at semicolons and brackets, so both are hidden before matching.
  string(REGEX REPLACE "[][;]" " " flat "${text}")
  string(REGEX MATCHALL "(^|\n)(amp\\.rule|func\\.func) (private )?@[A-Za-z0-9_.$]+ ?[a-z]*" heads
    "${flat}")
  foreach(head IN LISTS heads)
    string(REGEX MATCH "(amp\\.rule|func\\.func) (private )?@([A-Za-z0-9_.$]+) ?([a-z]*)" head
      "${head}")
    set(symbol ${CMAKE_MATCH_3})
    set(kind ${CMAKE_MATCH_4})
    if(CMAKE_MATCH_1 STREQUAL "func.func")
      set(kind layer)
      if(CMAKE_MATCH_2)
        set(kind helper)
      endif()
    endif()
    if(symbol IN_LIST seen)
      message(FATAL_ERROR "expected one definition of @${symbol}, got a second in ${file}")
    endif()
    list(APPEND seen ${symbol})
    string(APPEND rows "    {\"${symbol}\", \"${kind}\", \"${file}\", ${index}},\n")
  endforeach()
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUTPUT} "static constexpr llvm::StringLiteral texts[] = {\n${texts}};\n"
     "static constexpr Row rows[] = {\n${rows}};\n")
