# Finds tools that make a build quicker: a compiler cache and a linker. Neither changes what is
# built.
#
#   WARPSEQ_CCACHE=AUTO    compiles through ccache if it is installed and works; OFF never does
#   WARPSEQ_LINKER=AUTO    links with mold or lld if one is installed and works; DEFAULT leaves it
#                          to the compiler
#
# The cache is in ccache's default folder, which all clones of a user share. CCACHE_DISABLE=1 in the
# environment compiles everything anew.

# Settings with which a second clone in another folder hits the entries of the first:
#   CCACHE_BASEDIR      paths below the source tree are hashed, and given to the compiler, as
#                       relative ones
#   CCACHE_NOHASHDIR    the build folder's name is not hashed; -ffile-prefix-map keeps it out of
#                       debug information
#   CCACHE_DEPEND       a miss costs no run of the preprocessor, because the compiler's own list of
#                       headers is used
#   CCACHE_SLOPPINESS   precompiled headers can be cached (pch_defines, time_macros), and files that
#                       a new clone has just written are compared by content (include_file_mtime,
#                       include_file_ctime)
function(warpseq_find_compiler_cache)
    if(NOT WARPSEQ_CCACHE STREQUAL "AUTO")
        return()
    endif()
    find_program(CCACHE_PROGRAM ccache)
    mark_as_advanced(CCACHE_PROGRAM)
    if(NOT CCACHE_PROGRAM)
        message(STATUS "No compiler cache: ccache was not found (Debian: ccache)")
        return()
    endif()
    find_program(ENV_PROGRAM env REQUIRED)
    mark_as_advanced(ENV_PROGRAM)
    set(launcher ${ENV_PROGRAM} CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE_PROGRAM})
    # A file is compiled, because `ccache --version` succeeds even if the cache cannot be written.
    set(probe ${PROJECT_BINARY_DIR}/CMakeFiles/ccache_probe)
    file(WRITE ${probe}.cpp "int main() { return 0; }\n")
    execute_process(COMMAND ${launcher} ${CMAKE_CXX_COMPILER} -c ${probe}.cpp -o ${probe}.o RESULT_VARIABLE status
                    OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        message(STATUS "No compiler cache: ccache fails here: ${output}")
        return()
    endif()
    message(STATUS "Compiler cache: ${CCACHE_PROGRAM}")
    foreach(language C CXX CUDA)
        set(CMAKE_${language}_COMPILER_LAUNCHER ${launcher} PARENT_SCOPE)
    endforeach()
endfunction()

# Sets warpseq_linker to the name for -fuse-ld=, or to nothing.
function(warpseq_find_linker)
    set(warpseq_linker "" PARENT_SCOPE)
    if(NOT WARPSEQ_LINKER STREQUAL "AUTO")
        return()
    endif()
    include(CheckLinkerFlag)
    foreach(linker mold lld)
        check_linker_flag(CXX -fuse-ld=${linker} WARPSEQ_CAN_LINK_WITH_${linker})
        if(WARPSEQ_CAN_LINK_WITH_${linker})
            set(warpseq_linker ${linker} PARENT_SCOPE)
            return()
        endif()
    endforeach()
endfunction()

warpseq_find_compiler_cache()
warpseq_find_linker()
