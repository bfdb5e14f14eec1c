# Finds the libraries that warpseq needs, all from the system's packages. `tools/setup` installs
# them on Debian. These folders use them, tests apart:
#   formats   zstd, xxHash, zlib, LMDB, ISA-L, nlohmann-json
#   reports   nlohmann-json
#   options   cxxopts
#   apps      nlohmann-json, zlib
#   bench     cxxopts, zstd, zlib, Google Benchmark
# Only tests use doctest.

find_package(Threads REQUIRED)

# Finds a library by header and name and makes it the target warpseq::NAME. Honours WARPSEQ_STATIC
# through CMAKE_FIND_LIBRARY_SUFFIXES.
function(warpseq_find_library name header library package)
    find_path(WARPSEQ_${name}_INCLUDE ${header})
    find_library(WARPSEQ_${name}_LIBRARY ${library})
    mark_as_advanced(WARPSEQ_${name}_INCLUDE WARPSEQ_${name}_LIBRARY)
    if(NOT WARPSEQ_${name}_INCLUDE OR NOT WARPSEQ_${name}_LIBRARY)
        message(FATAL_ERROR "${name} was not found: install it (Debian: ${package}), or run tools/setup")
    endif()
    add_library(warpseq::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(warpseq::${name} PROPERTIES IMPORTED_LOCATION ${WARPSEQ_${name}_LIBRARY}
                          INTERFACE_INCLUDE_DIRECTORIES ${WARPSEQ_${name}_INCLUDE})
endfunction()

warpseq_find_library(zstd zstd.h zstd libzstd-dev)
warpseq_find_library(xxhash xxhash.h xxhash libxxhash-dev)
warpseq_find_library(zlib zlib.h z zlib1g-dev)
warpseq_find_library(lmdb lmdb.h lmdb liblmdb-dev)

# ISA-L inflates gzip in less than half the time of zlib. Debian has no static library of it. If
# ISA-L is missing, zlib does the work.
find_path(WARPSEQ_isal_INCLUDE isa-l/igzip_lib.h)
find_library(WARPSEQ_isal_LIBRARY isal)
mark_as_advanced(WARPSEQ_isal_INCLUDE WARPSEQ_isal_LIBRARY)
if(WARPSEQ_isal_INCLUDE AND WARPSEQ_isal_LIBRARY)
    warpseq_find_library(isal isa-l/igzip_lib.h isal libisal-dev)
else()
    message(STATUS "gzip is read by zlib: ISA-L was not found (Debian: libisal-dev)")
endif()

find_package(cxxopts REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
if(WARPSEQ_TESTS)
    find_package(doctest REQUIRED)
endif()
