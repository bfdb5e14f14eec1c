# Whether a CUDA compiler is there, as WARPSEQ_CUDA asks: AUTO looks, ON insists, OFF does not look. The answer is
# warpseq_have_cuda. The folder that has .cu files enables the language itself, so that nobody else waits for it.
#
# CMake 3.25 ignores CMAKE_CUDA_STANDARD 20 with nvcc 13, so the flag is given by hand: what .cu files are compiled with is
# in warpseq_options.
set(warpseq_have_cuda OFF)
if(WARPSEQ_CUDA STREQUAL "OFF")
    return()
endif()
if(NOT WARPSEQ_CUDA MATCHES "^(AUTO|ON)$")
    message(FATAL_ERROR "WARPSEQ_CUDA is '${WARPSEQ_CUDA}'; it has to be AUTO, ON or OFF")
endif()

set(CMAKE_CUDA_ARCHITECTURES "80-real;90a-real;90-virtual" CACHE STRING "GPU generations that CUDA code is built for")
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
    set(warpseq_have_cuda ON)
    block()
        # The toolkit is found by its shared run-time library, also where everything is linked statically.
        set(CMAKE_FIND_LIBRARY_SUFFIXES .so .a)
        find_package(CUDAToolkit REQUIRED)
    endblock()
    target_compile_options(warpseq_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
elseif(WARPSEQ_CUDA STREQUAL "ON")
    message(FATAL_ERROR "WARPSEQ_CUDA=ON, but no CUDA compiler was found: put nvcc into PATH or set CUDACXX")
endif()
