# How every target is compiled: warnings, sanitizers, static linking.
#
# warpseq_add_library(NAME SOURCES ... [LINK ...]) makes a static library warpseq::NAME.

set(warpseq_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND warpseq_warnings -Wduplicated-cond -Wlogical-op)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        # GCC 12 sees overlapping copies inside std::string where there are none, and forgets of
        # precompiled headers that they are the system's: endless copies, too.
        list(APPEND warpseq_warnings -Wno-restrict)
        if(WARPSEQ_PRECOMPILED_HEADERS)
            list(APPEND warpseq_warnings -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
        endif()
    endif()
    if(WARPSEQ_SANITIZE)
        # With sanitizers GCC sees uninitialised values inside std::regex where there are none.
        list(APPEND warpseq_warnings -Wno-maybe-uninitialized)
    endif()
endif()
if(WARPSEQ_WERROR)
    list(APPEND warpseq_warnings -Werror)
endif()

add_library(warpseq_compile_options INTERFACE)
# No fused multiply-add: floating-point results do not depend on the instruction set.
target_compile_options(warpseq_compile_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>")
target_compile_options(warpseq_compile_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warpseq_warnings}>")
if(WARPSEQ_SANITIZE)
    target_compile_options(warpseq_compile_options INTERFACE -fsanitize=${WARPSEQ_SANITIZE} -fno-sanitize-recover=all
                           -fno-omit-frame-pointer)
    target_link_options(warpseq_compile_options INTERFACE -fsanitize=${WARPSEQ_SANITIZE})
    if(WARPSEQ_SANITIZE MATCHES "address.*undefined" AND NOT WARPSEQ_FUZZ)
        # Each of these checks every access once more. What is read through a null pointer or beyond
        # an object stops the address sanitizer, too; pointers that overflow are left to the fuzz
        # targets, which are given hostile sizes.
        target_compile_options(warpseq_compile_options INTERFACE -fno-sanitize=null,object-size,pointer-overflow)
        # A fifth of the time to compile. x86 reads unaligned words, and few classes are virtual.
        if(NOT WARPSEQ_THOROUGH)
            target_compile_options(warpseq_compile_options INTERFACE -fno-sanitize=alignment,vptr)
        endif()
    endif()
endif()
if(WARPSEQ_PORTABLE_KERNELS)
    # Those for instruction sets are the same templates, and take minutes to compile with some
    # sanitizers.
    target_compile_definitions(warpseq_compile_options INTERFACE WARPSEQ_PORTABLE_KERNELS)
endif()
if(WARPSEQ_FUZZ)
    # Coverage for libFuzzer in the libraries; the fuzz targets link its main().
    target_compile_options(warpseq_compile_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CMAKE_CXX_COMPILER_LAUNCHER)
    # A cached object names files by their place in the source tree, whichever clone it was compiled
    # in.
    target_compile_options(warpseq_compile_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>")
endif()
if(warpseq_linker)
    target_link_options(warpseq_compile_options INTERFACE -fuse-ld=${warpseq_linker})
endif()
if(WARPSEQ_STATIC)
    set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
    target_link_options(warpseq_compile_options INTERFACE -static-libgcc -static-libstdc++)
endif()

# warpseq_vector_units(FILES...): translation units with kernels for one instruction set each. They
# use no precompiled header, because they include what they need before they say which instructions
# they use. With WARPSEQ_SANITIZE_VECTORS=OFF they are compiled without sanitizers. The inline
# functions in them are templates over that instruction set, so that no sanitized unit shares them
# with these (tests/kernels/unsanitized_symbols_test.sh); otherwise the linker could keep the copy
# without checks.
function(warpseq_vector_units)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    foreach(file IN LISTS ARGN)
        if(WARPSEQ_SANITIZE AND NOT WARPSEQ_SANITIZE_VECTORS)
            set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=all)
        elseif(WARPSEQ_SANITIZE MATCHES "undefined")
            # Vectors take half the time to compile. Alignment is checked in the portable table,
            # which is the same templates.
            set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=alignment,vptr)
        endif()
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND file MATCHES "avx512")
            # GCC 12's own AVX-512 headers read a variable that they leave undefined on purpose.
            set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -Wno-maybe-uninitialized -Wno-uninitialized)
        endif()
    endforeach()
endfunction()

# warpseq_precompile(TARGET OWNER HEADERS...): the headers are parsed once, for the first target
# that names the owner, and used by all that name it, which have to be compiled alike. Files include
# what they use all the same: the fuzz build has no precompiled headers.
function(warpseq_precompile target owner)
    if(NOT WARPSEQ_PRECOMPILED_HEADERS)
        return()
    endif()
    get_property(first GLOBAL PROPERTY warpseq_precompiled_${owner})
    if(first)
        target_precompile_headers(${target} REUSE_FROM ${first})
    else()
        set_property(GLOBAL PROPERTY warpseq_precompiled_${owner} ${target})
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()

set(warpseq_common_headers <algorithm> <array> <cmath> <cstdint> <cstdio> <cstring> <filesystem> <functional> <memory> <mutex> <optional>
    <span> <stop_token> <string> <string_view> <utility> <vector>)

# warpseq_add_program_library(NAME SOURCES ... [LINK ...]): the body of a program as a static
# library warpseq_NAME, for `warpseq`, the program of its own and tests. It parses options and
# drives engines, which takes no time worth optimising: light optimisation compiles in two thirds of
# the time.
function(warpseq_add_program_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    add_library(warpseq_${name} STATIC ${arg_SOURCES})
    target_include_directories(warpseq_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(warpseq_${name} PUBLIC ${arg_LINK} PRIVATE warpseq_compile_options)
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        target_compile_options(warpseq_${name} PRIVATE -O1)
    elseif(WARPSEQ_SANITIZE)
        target_compile_options(warpseq_${name} PRIVATE -O0)
    endif()
    warpseq_precompile(warpseq_${name} programs ${warpseq_common_headers} <limits> <map> <system_error>
                       <options/option_set.h> <libcore/base/observer.h> <libcore/base/status.h>)
endfunction()

function(warpseq_add_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
    add_library(warpseq_${name} STATIC ${arg_SOURCES})
    add_library(warpseq::${name} ALIAS warpseq_${name})
    set_target_properties(warpseq_${name} PROPERTIES EXPORT_NAME ${name})
    target_include_directories(warpseq_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/warpseq>)
    target_compile_features(warpseq_${name} PUBLIC cxx_std_20)
    target_link_libraries(warpseq_${name} PUBLIC ${arg_LINK} PRIVATE $<BUILD_INTERFACE:warpseq_compile_options>)
    # Kernels and engines gain by -O3, which Release gives all of them; these do not, and compile
    # sooner without.
    if(CMAKE_BUILD_TYPE STREQUAL "Release" AND name MATCHES "^(formats|reports|options)$")
        target_compile_options(warpseq_${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-O2>")
    endif()
    warpseq_precompile(warpseq_${name} libraries ${warpseq_common_headers})
endfunction()
