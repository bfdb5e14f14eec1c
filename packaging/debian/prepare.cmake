# Prepares the files of a .deb for Debian's policy, which asks for things that other installations
# do not need. CPack runs this script before it makes the package.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY})
file(GLOB documents LIST_DIRECTORIES true ${root}/*/usr/share/doc/warpseq ${root}/usr/share/doc/warpseq)
list(LENGTH documents count)
if(NOT count EQUAL 1)
    message(FATAL_ERROR "not one folder of documents below ${root}: ${documents}")
endif()
cmake_path(GET documents PARENT_PATH folder)
cmake_path(APPEND folder ${CPACK_PACKAGE_NAME} OUTPUT_VARIABLE own)
if(NOT own STREQUAL documents)
    file(RENAME ${documents} ${own})
endif()

# The license is among Debian's common ones, and the copyright file names it.
file(REMOVE ${own}/LICENSE)

# The changelog has the date of the last commit, or the one of SOURCE_DATE_EPOCH.
if("$ENV{SOURCE_DATE_EPOCH}" STREQUAL "")
    execute_process(COMMAND git -C ${CMAKE_CURRENT_LIST_DIR} log -1 --format=%ct OUTPUT_VARIABLE seconds OUTPUT_STRIP_TRAILING_WHITESPACE
                    ERROR_QUIET)
    if(NOT "${seconds}" STREQUAL "")
        set(ENV{SOURCE_DATE_EPOCH} ${seconds})
    endif()
endif()
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${own}/changelog "${CPACK_PACKAGE_NAME} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Release ${CPACK_PACKAGE_VERSION}; CHANGELOG.md in this folder says what is in it.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")

# Debian's zsh looks for the functions of packages in vendor-completions.
cmake_path(GET folder PARENT_PATH share)
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)

file(GLOB manuals ${share}/man/man?/*.?)
execute_process(COMMAND gzip -9n ${manuals} ${own}/changelog COMMAND_ERROR_IS_FATAL ANY)

file(CHMOD_RECURSE ${share} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
     DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
