# Installs the project, checks the installed files, and configures, builds and runs the consumer and
# the examples.
function(must)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        string(JOIN " " command ${ARGN})
        message(FATAL_ERROR "${command} failed (${status}):\n${output}")
    endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
foreach(file bin/warpseq share/man/man1/warpseq.1 share/man/man1/warpseq-dbconv.1 share/man/man1/warpseq-inspect.1
        share/man/man1/warpseq-search.1 share/doc/warpseq/README.md share/doc/warpseq/LICENSE
        share/bash-completion/completions/warpseq share/zsh/site-functions/_warpseq share/fish/vendor_completions.d/warpseq.fish)
    if(NOT EXISTS ${WORK}/prefix/${file})
        message(FATAL_ERROR "${file} was not installed")
    endif()
endforeach()
# Program names that other projects use too must stay out of a shared PATH.
file(GLOB programs RELATIVE ${WORK}/prefix/bin ${WORK}/prefix/bin/*)
if(NOT programs STREQUAL "warpseq")
    message(FATAL_ERROR "bin holds: ${programs}")
endif()
# Links must work, and those of the drop-in folder must be the programs that the help lists.
foreach(program dbconv inspect search)
    must(${WORK}/prefix/libexec/warpseq/${program} --version)
endforeach()
must(sh ${CMAKE_CURRENT_LIST_DIR}/check_dropin.sh ${WORK}/prefix)

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

# The examples, built against the same installation, print the expected results.
function(must_print expected)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
    if(NOT status EQUAL 0 OR NOT output STREQUAL expected)
        string(JOIN " " command ${ARGN})
        message(FATAL_ERROR "${command} (${status}) printed:\n${output}${errors}\ninstead of:\n${expected}")
    endif()
endfunction()
must(${CMAKE_COMMAND} -S ${EXAMPLES} -B ${WORK}/examples -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${WORK}/prefix
     -D CMAKE_CXX_COMPILER=${COMPILER})
must(${CMAKE_COMMAND} --build ${WORK}/examples)
set(globin MVLSPADKTNVKAAWGKVGAHAGEYGAEALERMFLSFPTTKTYFPHFDLSHGSAQVKGHGKKVADALTNAVAHVDDMPNALSALSDLHAHKLRVDPVNFKLLSHCLLVTLAAHLPAEFTPAVHASLDKFLASVSTVLTSKYR)
set(relative MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKGTFATLSELHCDKLHVDPENFRLLGNVLVCVLAHHFGKEFTPPVQAAYQKVVAGVANALAHKYH)
file(WRITE ${WORK}/proteins.fasta ">HBA\n${globin}\n>HBB\n${relative}\n>other\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRV\n")
file(WRITE ${WORK}/a.fasta ">a\nACGTACGTTTACG\n")
file(WRITE ${WORK}/b.fasta ">b\nACGTACGTACG\n")
must_print("3 sequences, 329 residues\n" ${WORK}/examples/convert ${WORK}/proteins.fasta ${WORK}/proteins.wsdb)
must_print("HBA\tE = 3.3e-106\tscore 733\nHBB\tE = 5.7e-38\tscore 285\n" ${WORK}/examples/search_sequence ${WORK}/proteins.wsdb ${globin})
must_print("score 13, 7M2I4M\n" ${WORK}/examples/align_pair ${WORK}/a.fasta ${WORK}/b.fasta)
file(WRITE ${WORK}/query.fasta ">HBA\n${globin}\n")
must_print("HBA\tE = 8.3e-97\nHBB\tE = 2.8e-34\n" ${WORK}/examples/search_profile ${WORK}/proteins.wsdb ${WORK}/query.fasta)
