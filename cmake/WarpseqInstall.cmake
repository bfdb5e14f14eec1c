# Says what `cmake --install` installs, and where: libraries with their public headers and a CMake
# package (component development), man pages and documents (component programs). apps/warpseq
# installs the program and the links to it.
include(CMakePackageConfigHelpers)

set(warpseq_libraries warpseq_core warpseq_formats warpseq_kernels warpseq_engines warpseq_reports warpseq_options)
if(warpseq_have_cuda)
    list(APPEND warpseq_libraries warpseq_kernels_cuda)
endif()
install(TARGETS ${warpseq_libraries} EXPORT warpseqTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)

# Only those headers of kernels and formats are installed that engines and their users include.
set(warpseq_include ${CMAKE_INSTALL_INCLUDEDIR}/warpseq)
foreach(folder libcore engines reports options)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${warpseq_include} COMPONENT development
            FILES_MATCHING PATTERN "*.h")
endforeach()
foreach(header
        formats/alignments/alignment_format.h formats/alignments/alignment_reader.h
        formats/alignments/alignment_writer.h formats/alignments/stockholm_writer.h
        formats/blast/blast_alias.h formats/blast/blast_database.h formats/blast/blast_deflines.h
        formats/blast/blast_facts.h formats/blast/blast_seqid.h
        formats/fasta/fasta.h formats/fasta/name_matcher.h formats/fasta/nucleotide_detector.h
        formats/fasta/record_batch.h formats/fasta/record_limits.h formats/fasta/record_selection.h
        formats/fasta/sequence_names.h
        formats/io/atomic_file.h formats/io/byte_source.h formats/io/file_identity.h formats/io/json_writer.h
        formats/io/output_sink.h formats/io/packet.h formats/io/pair_checkpoint_file.h
        formats/io/pending_copies.h formats/io/run_files.h formats/io/text_pieces.h
        formats/profiles/hmm_file.h formats/profiles/hmm_format.h formats/profiles/hmm_writer.h
        formats/profiles/matrix_file.h
        formats/profiles/query_file.h
        formats/sequences/named_sequence.h formats/sequences/sequence_file.h formats/sequences/sequence_format.h
        formats/taxonomy/taxonomy.h
        formats/io/file_stamp.h formats/io/mapped_file.h formats/io/position_set.h formats/wsdb/shared_identifiers.h formats/wsdb/wsdb_content_figures.h formats/wsdb/wsdb_faults.h formats/wsdb/wsdb_layout.h formats/wsdb/wsdb_map.h formats/wsdb/wsdb_set.h formats/wsdb/wsdb_set_manifest.h formats/wsdb/wsdb_set_update.h formats/wsdb/wsdb_validate.h
        formats/wsdb/convert_fasta.h formats/wsdb/database_labels.h formats/wsdb/fasta_target.h
        formats/wsdb/wsdb_provenance.h formats/wsdb/wsdb_reader.h formats/wsdb/wsdb_set_mark.h
        formats/wsdb/wsdb_writer.h
        kernels/backend.h
        kernels/gpu/device.h kernels/gpu/device_targets.h kernels/gpu/host_device.h kernels/gpu/pinned_pages.h
        kernels/pair/pair_alignment.h kernels/pair/pair_forbidden.h kernels/pair/pair_sweep.h kernels/pair/pair_sweep_gpu.h kernels/pair/pair_sweep_plan_gpu.h
        kernels/profile/forward_backward.h kernels/profile/msv_filter.h kernels/profile/profile_filters_gpu.h
        kernels/profile/ssv_plan_gpu.h kernels/profile/viterbi_filter.h
        kernels/seeds/gapped_extension.h kernels/seeds/word_hits.h kernels/seeds/word_hits_gpu.h kernels/seeds/word_hits_plan_gpu.h
        kernels/simd/aligned_bytes.h
        kernels/smith_waterman/local_alignment.h kernels/smith_waterman/smith_waterman.h
        kernels/smith_waterman/smith_waterman_gpu.h kernels/smith_waterman/smith_waterman_plan_gpu.h)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${warpseq_include}/${folder} COMPONENT development)
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/warpseq)
install(EXPORT warpseqTargets NAMESPACE warpseq:: DESTINATION ${package_folder} COMPONENT development)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/warpseqConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_SOURCE_DIR}/cmake/warpseqConfig.cmake ${PROJECT_BINARY_DIR}/warpseqConfigVersion.cmake
        DESTINATION ${package_folder} COMPONENT development)

# The names are those for which `man warpseq search` looks, because other programs may have pages
# such as search.1, too.
install(FILES ${PROJECT_SOURCE_DIR}/man/warpseq.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs)
file(GLOB pages CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/man ${PROJECT_SOURCE_DIR}/man/search-*.1)
foreach(page dbconv.1 inspect.1 search.1 ${pages})
    install(FILES ${PROJECT_SOURCE_DIR}/man/${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME warpseq-${page}
            COMPONENT programs)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/man/wsdb.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT programs)

# Documents, and what they link to, lie to each other as in the source tree. tests/docs/links.py
# checks that no link is dead.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CITATION.cff ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
              ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/packaging/copyright
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/packaging COMPONENT programs)
