# Install, configure the consumer, build it, run it, and look for what a person expects of an installation.
function(must)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        string(JOIN " " command ${ARGN})
        message(FATAL_ERROR "${command} failed (${status}):\n${output}")
    endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
foreach(file bin/dbconv bin/inspect bin/search share/man/man1/dbconv.1 share/man/man1/inspect.1 share/man/man1/search.1)
    if(NOT EXISTS ${WORK}/prefix/${file})
        message(FATAL_ERROR "${file} was not installed")
    endif()
endforeach()

# Every installed header has to stand on its own.
file(GLOB_RECURSE headers RELATIVE ${WORK}/prefix/include/warpseq ${WORK}/prefix/include/warpseq/*.h)
list(LENGTH headers count)
if(count LESS 10)
    message(FATAL_ERROR "only ${count} headers were installed")
endif()
set(source "// Made by the test: all public headers.\n")
foreach(header IN LISTS headers)
    string(APPEND source "#include \"${header}\"\n")
endforeach()
file(WRITE ${WORK}/all_headers.cpp "${source}")

must(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${WORK}/prefix
     -D CMAKE_CXX_COMPILER=${COMPILER} -D ALL_HEADERS=${WORK}/all_headers.cpp)
must(${CMAKE_COMMAND} --build ${WORK}/build)
must(${WORK}/build/consumer ${WORK}/scratch.fa)
