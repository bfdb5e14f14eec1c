# Sets how every target is compiled: warnings, sanitizers, static linking.
#
# warpseq_add_library(NAME SOURCES ... [LINK ...]) makes a static library warpseq::NAME.

set(warpseq_warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND warpseq_warnings -Wduplicated-cond -Wlogical-op)
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        # GCC 12 warns of overlapping copies inside std::string where there are none. It also
        # forgets that precompiled headers are the system's, and then warns of endless copies in
        # them.
        list(APPEND warpseq_warnings -Wno-restrict)
        if(WARPSEQ_PRECOMPILED_HEADERS)
            list(APPEND warpseq_warnings -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
        endif()
    endif()
    if(WARPSEQ_SANITIZE)
        # With sanitizers, GCC warns of uninitialised values inside std::regex where there are none.
        list(APPEND warpseq_warnings -Wno-maybe-uninitialized)
    endif()
endif()
if(WARPSEQ_WERROR)
    list(APPEND warpseq_warnings -Werror)
endif()

add_library(warpseq_compile_options INTERFACE)
# Fused multiply-add is off, so that floating-point results do not depend on the instruction set.
target_compile_options(warpseq_compile_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>")
target_compile_options(warpseq_compile_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warpseq_warnings}>")
if(WARPSEQ_SANITIZE)
    target_compile_options(warpseq_compile_options INTERFACE -fsanitize=${WARPSEQ_SANITIZE} -fno-sanitize-recover=all
                           -fno-omit-frame-pointer)
    target_link_options(warpseq_compile_options INTERFACE -fsanitize=${WARPSEQ_SANITIZE})
    if(WARPSEQ_SANITIZE MATCHES "address.*undefined" AND NOT WARPSEQ_FUZZ)
        # Each of these checks every access once more. The address sanitizer also stops reads
        # through a null pointer or beyond an object. Overflow of pointers is left to the fuzz
        # targets, which are given hostile sizes.
        target_compile_options(warpseq_compile_options INTERFACE -fno-sanitize=null,object-size,pointer-overflow)
        # These two checks take a fifth of the time to compile. x86 reads unaligned words, and few
        # classes are virtual.
        if(NOT WARPSEQ_THOROUGH)
            target_compile_options(warpseq_compile_options INTERFACE -fno-sanitize=alignment,vptr)
        endif()
    endif()
endif()
if(WARPSEQ_PORTABLE_KERNELS)
    # The kernels for instruction sets are the same templates as the portable ones, and take minutes
    # to compile with some sanitizers.
    target_compile_definitions(warpseq_compile_options INTERFACE WARPSEQ_PORTABLE_KERNELS)
endif()
if(WARPSEQ_FUZZ)
    # The libraries are compiled with coverage for libFuzzer. The fuzz targets link its main().
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
    # The result runs with glibc 2.34 and later. A static libgcc would need 2.35, and unused parts
    # of the C++ library 2.36. Every system that has glibc has libgcc_s.
    target_link_options(warpseq_compile_options INTERFACE -static-libstdc++ -Wl,--gc-sections)
endif()

# warpseq_vector_units(FILES...) sets how translation units with kernels for one instruction set are
# compiled. They use no precompiled header, because they include what they need before they say
# which instructions they use. With WARPSEQ_SANITIZE_VECTORS=OFF they are compiled without
# sanitizers. Their inline functions are templates over the instruction set, so that no sanitized
# unit shares these functions (tests/kernels/unsanitized_symbols_test.sh). Otherwise the linker
# could keep the copy without checks.
function(warpseq_vector_units)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    foreach(file IN LISTS ARGN)
        if(WARPSEQ_SANITIZE AND NOT WARPSEQ_SANITIZE_VECTORS)
            set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=all)
        elseif(WARPSEQ_SANITIZE MATCHES "undefined")
            # Without these checks, vectors take half the time to compile. Alignment is checked in
            # the portable table, which has the same templates.
            set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=alignment,vptr)
        endif()
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND file MATCHES "avx512")
            # GCC 12's own AVX-512 headers read a variable that they leave undefined on purpose.
            set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -Wno-maybe-uninitialized -Wno-uninitialized)
        endif()
    endforeach()
endfunction()

# warpseq_precompile(TARGET OWNER HEADERS...) has the headers parsed once, for the first target that
# names the owner. All targets that name it use the result, and have to be compiled alike. Files
# still include what they use, because the fuzz build has no precompiled headers.
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

# warpseq_add_program_library(NAME SOURCES ... [LINK ...]) makes the body of a program a static
# library warpseq_NAME, for `warpseq`, the program's own executable and tests. It parses options and
# drives engines, which takes no time worth optimising. Light optimisation compiles in two thirds of
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
    # Kernels and engines gain by -O3, which Release gives to all libraries. The libraries named
    # here do not gain, and compile sooner with -O2.
    if(CMAKE_BUILD_TYPE STREQUAL "Release" AND name MATCHES "^(formats|reports|options|searches)$")
        target_compile_options(warpseq_${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-O2>")
    endif()
    warpseq_precompile(warpseq_${name} libraries ${warpseq_common_headers})
endfunction()
