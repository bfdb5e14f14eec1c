# Fails if PROGRAM needs a shared library other than libc, libm, the loader and the kernel's vDSO.
execute_process(COMMAND ldd ${PROGRAM} OUTPUT_VARIABLE output RESULT_VARIABLE status)
string(REGEX MATCHALL "[^\n]+" lines "${output}")
list(FILTER lines EXCLUDE REGEX "linux-vdso|/libc\\.so|/libm\\.so|/ld-linux")
if(NOT status EQUAL 0 OR lines)
    message(FATAL_ERROR "${PROGRAM} needs more than the C library:\n${lines}")
endif()
