# What holds on the CPU holds on a GPU: the same suites with --target=nvptx on the simulator, which
# checks races, initialisation and bounds, and, like a GPU, has not done what it was told when the
# call returns. ptxas, where there is one, has tests of its own.
if(NOT TARGET ptxsim_driver OR SAWTOOTH_SANITIZE)
  return()
endif()

function(sawtooth_simulated_test name)
  add_test(NAME simulated.${name} COMMAND ${Python3_EXECUTABLE} -B -m unittest ${ARGN}
           WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set(environment "SAWTOOTH=$<TARGET_FILE:sawtooth>" "SAWTOOTH_CACHE_DIR=" SAWTOOTH_TARGET=nvptx
      "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:ptxsim_driver>" PTXSIM_OPTIONS=ptxas=0:chip=sm_90:lazy=1)
  if(TARGET cudaspy)
    list(APPEND environment "CUDASPY_PATH=$<TARGET_FILE_DIR:cudaspy>")
  endif()
  set_tests_properties(simulated.${name} PROPERTIES ENVIRONMENT "${environment}"
    SKIP_REGULAR_EXPRESSION "OK .skipped=[1-9]" FAIL_REGULAR_EXPRESSION "Ran 0 tests" TIMEOUT 900)
endfunction()

# One entry a case of the list.
foreach(case B01 B02 B07 B08 B13 B14 B15 B18 B19 B22 B26 B27 B34 B41 B43 B45 B49 B50 B62 B64 B66 B70
  B77)
  if(case STREQUAL "B70")
    sawtooth_simulated_test(B70 -k nan_and_nothing_in_the_inf_norm test_shapes)
  else()
    sawtooth_simulated_test(${case} -k ${case} test_cases_steps test_cases_values test_resume)
  endif()
endforeach()
# 4 GiB on the device, so without a shadow of it.
sawtooth_simulated_test(B36 -k B36 test_shapes)
set_property(TEST simulated.B36 APPEND PROPERTY ENVIRONMENT
             PTXSIM_OPTIONS=ptxas=0:chip=sm_90:race=0:uninit=0)
foreach(suite Binding Functions Logs Models Policies Reductions Resume Skips Shapes)
  string(TOLOWER ${suite} file)
  sawtooth_simulated_test(${file} -k ${suite} test_${file})
endforeach()
sawtooth_simulated_test(layers test_layers)
foreach(rule sgd adam lion lamb golden)
  sawtooth_simulated_test(rules.${rule} -k test_${rule} test_rules)
endforeach()
sawtooth_simulated_test(targets -k Gpu test_gpu)
sawtooth_simulated_test(benchmark test_benchmark)
sawtooth_simulated_test(B55 -k B55 test_gpu)
sawtooth_simulated_test(B59 -k test_b59 artifact.test_artifact)
set_tests_properties(simulated.B59 PROPERTIES WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/test)
set_property(TEST simulated.B59 APPEND PROPERTY ENVIRONMENT SAWTOOTH_RUN_ARTIFACT=)
if(TARGET cudaspy)
  sawtooth_simulated_test(killed -k Killed test_gpu)
  sawtooth_simulated_test(calls -k Calls test_gpu)
  sawtooth_simulated_test(B42 -k B42 test_gpu)
  sawtooth_simulated_test(B72 -k B72 test_gpu)
endif()

# The bundle for machines with a GPU, packed and run.
if(TARGET sawtooth-graph-check)
  set(bundle ${CMAKE_CURRENT_BINARY_DIR}/gpu-bundle)
  add_test(NAME simulated.gpu-bundle-pack COMMAND ${Python3_EXECUTABLE} -B
           ${CMAKE_SOURCE_DIR}/tools/gpu-bundle/pack.py ${CMAKE_BINARY_DIR} ${bundle})
  add_test(NAME simulated.gpu-bundle COMMAND ${bundle}/run.sh ${bundle}/out)
  set_tests_properties(simulated.gpu-bundle-pack PROPERTIES FIXTURES_SETUP gpu-bundle)
  set_tests_properties(simulated.gpu-bundle PROPERTIES FIXTURES_REQUIRED gpu-bundle
    ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:ptxsim_driver>;PTXSIM_OPTIONS=ptxas=0:chip=sm_90"
    PASS_REGULAR_EXPRESSION "times are simulated.*everything passed")
  sawtooth_simulated_test(gpu-bundle-failures test_gpu_bundle)
  set_tests_properties(simulated.gpu-bundle-failures PROPERTIES FIXTURES_REQUIRED gpu-bundle)
  set_property(TEST simulated.gpu-bundle-failures APPEND PROPERTY ENVIRONMENT GPU_BUNDLE=${bundle})
endif()
