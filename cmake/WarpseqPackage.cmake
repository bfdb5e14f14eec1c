# Says what `cpack` makes (packaging/README.md): a tarball for a build with WARPSEQ_STATIC, else a
# .deb. The packages have only the programs. The libraries are for users who build from source.
set(WARPSEQ_PACKAGE_CONTACT "warpseq maintainers <maintainers@warpseq.example>" CACHE STRING
    "Who answers for packages that are made here")
mark_as_advanced(WARPSEQ_PACKAGE_CONTACT)

set(package warpseq)
set(description "warpseq compares proteins with databases: exact Smith-Waterman, profile
HMMs as HMMER's hmmsearch and phmmer, and what NCBI blastp finds, on the
vector units of CPUs and on NVIDIA GPUs. It aligns pairs of sequences of
any length, too.
.
Drop-in programs take the command lines of hmmsearch, phmmer, blastp,
makeblastdb and blastdbcmd, and print what these print.")
if(warpseq_have_cuda)
    set(package warpseq-cuda)
    string(APPEND description "
.
This package has the kernels for GPUs. It needs nothing of CUDA but the
driver, and works without a GPU as well.")
endif()

set(CPACK_PACKAGE_NAME ${package})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${WARPSEQ_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION ${description})
set(CPACK_COMPONENTS_ALL programs)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_SOURCE_DIR}/out/packages)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

if(WARPSEQ_STATIC)
    set(CPACK_GENERATOR TGZ)
    set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
    set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
    set(CPACK_PACKAGE_FILE_NAME ${package}-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
else()
    set(CPACK_GENERATOR DEB)
    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_DEBIAN_PACKAGE_NAME ${package})
    set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
    set(CPACK_DEBIAN_PACKAGE_SECTION science)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
    if(warpseq_have_cuda)
        set(CPACK_DEBIAN_PACKAGE_CONFLICTS warpseq)
        set(CPACK_DEBIAN_PACKAGE_REPLACES warpseq)
        set(CPACK_DEBIAN_PACKAGE_PROVIDES "warpseq (= ${PROJECT_VERSION})")
    endif()
    set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian/prepare.cmake)
    set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/debian/installed_size.cmake)
endif()
include(CPack)
