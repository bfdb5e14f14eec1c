# What `cmake --install` puts where: libraries with their public headers and a CMake package, and the man pages. The programs'
# own folders install the programs.
include(CMakePackageConfigHelpers)

install(TARGETS warpseq_core warpseq_formats warpseq_kernels EXPORT warpseqTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(warpseq_include ${CMAKE_INSTALL_INCLUDEDIR}/warpseq)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/libcore DESTINATION ${warpseq_include} FILES_MATCHING PATTERN "*.h")
foreach(header formats/atomic_file.h formats/byte_source.h formats/fasta.h formats/matrix_file.h formats/wsdb_reader.h
        formats/hmm_file.h formats/query_file.h formats/wsdb_writer.h kernels/backend.h kernels/profile/forward_backward.h
        kernels/smith_waterman/local_alignment.h kernels/profile/msv_filter.h kernels/smith_waterman/smith_waterman.h kernels/profile/viterbi_filter.h)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${warpseq_include}/${folder})
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpseq)
install(EXPORT warpseqTargets NAMESPACE warpseq:: DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpseqConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/warpseqConfig.cmake ${PROJECT_BINARY_DIR}/warpseqConfigVersion.cmake
        DESTINATION ${package_folder})

install(FILES ${PROJECT_SOURCE_DIR}/man/dbconv.1 ${PROJECT_SOURCE_DIR}/man/inspect.1 ${PROJECT_SOURCE_DIR}/man/search.1
        DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
