# The package file for find_package(warpseq). It provides the static libraries warpseq::options,
# warpseq::reports, warpseq::engines, warpseq::kernels, warpseq::formats and warpseq::core, each
# with the libraries that it needs. It provides warpseq::kernels_cuda if the package was built for
# GPUs.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/warpseqTargets.cmake)
if(TARGET warpseq::kernels_cuda)
    find_package(CUDAToolkit QUIET)  # programs that use engines or reports need it to link
endif()

# The libraries that warpseq::formats needs have no CMake package that every distribution ships.
foreach(library zstd xxhash z lmdb)
    find_library(warpseq_${library}_LIBRARY ${library})
    mark_as_advanced(warpseq_${library}_LIBRARY)
    if(NOT warpseq_${library}_LIBRARY)
        set(warpseq_FOUND FALSE)
        set(warpseq_NOT_FOUND_MESSAGE "warpseq needs the library ${library} and its headers")
        return()
    endif()
    set_property(TARGET warpseq::formats APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${warpseq_${library}_LIBRARY})
endforeach()
# ISA-L is linked if this machine has it. Libraries that were built with it need it.
find_library(warpseq_isal_LIBRARY isal)
mark_as_advanced(warpseq_isal_LIBRARY)
if(warpseq_isal_LIBRARY)
    set_property(TARGET warpseq::formats APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${warpseq_isal_LIBRARY})
endif()
