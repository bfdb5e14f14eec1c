# Decides whether kernels for GPUs are built, as WARPSEQ_CUDA asks:
#   AUTO     if there is a CUDA compiler and an NVIDIA GPU
#   TOOLKIT  if there is a CUDA compiler, to build for another machine or to see that the kernels
#            compile
#   ON       always; it is an error if there is no CUDA compiler
#   OFF      never
# The answer is warpseq_have_cuda. The folder that has .cu files enables the language itself, so
# that the other folders do not wait for it. The .cu files are compiled for this machine's GPUs, or
# for Hopper if it has none, unless CMAKE_CUDA_ARCHITECTURES is given. The preset `portable`
# compiles them for all generations.
#
# CMake 3.25 ignores CMAKE_CUDA_STANDARD 20 with nvcc 13, so the flag is given by hand:
# warpseq_compile_options has it for .cu files.
set(warpseq_have_cuda OFF)
if(WARPSEQ_CUDA STREQUAL "OFF")
    return()
endif()
if(NOT WARPSEQ_CUDA MATCHES "^(AUTO|TOOLKIT|ON)$")
    message(FATAL_ERROR "WARPSEQ_CUDA is '${WARPSEQ_CUDA}'; it has to be AUTO, TOOLKIT, ON or OFF")
endif()

# The generations of this machine's GPUs, such as 90a-real;80-real. The list is empty without a GPU
# or without a driver.
set(warpseq_gpus "")
find_program(NVIDIA_SMI_PROGRAM nvidia-smi)
mark_as_advanced(NVIDIA_SMI_PROGRAM)
if(NVIDIA_SMI_PROGRAM)
    execute_process(COMMAND ${NVIDIA_SMI_PROGRAM} --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE warpseq_gpus
                    RESULT_VARIABLE status ERROR_QUIET)
    if(status EQUAL 0)
        string(REGEX MATCHALL "[0-9]+\\.[0-9]+" warpseq_gpus "${warpseq_gpus}")
        list(REMOVE_DUPLICATES warpseq_gpus)
        list(TRANSFORM warpseq_gpus REPLACE "\\." "")
        list(FILTER warpseq_gpus INCLUDE REGEX "^([89][0-9]|[1-9][0-9][0-9])$")  # older ones cannot run the kernels
        list(TRANSFORM warpseq_gpus REPLACE "^90$" "90a")  # Hopper's own instructions
        list(TRANSFORM warpseq_gpus APPEND "-real")
    else()
        set(warpseq_gpus "")
    endif()
endif()
if(WARPSEQ_CUDA STREQUAL "AUTO" AND NOT warpseq_gpus)
    message(STATUS "No kernels for GPUs: this machine has no GPU of compute capability 8.0 or later (WARPSEQ_CUDA=TOOLKIT builds them nevertheless)")
    return()
endif()

if(warpseq_gpus)
    set(CMAKE_CUDA_ARCHITECTURES "${warpseq_gpus}" CACHE STRING "GPU generations that CUDA code is built for")
else()
    set(CMAKE_CUDA_ARCHITECTURES 90a-real CACHE STRING "GPU generations that CUDA code is built for")
endif()
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
    set(warpseq_have_cuda ON)
    block()
        # The toolkit is found by its shared run-time library, even if everything is linked
        # statically.
        set(CMAKE_FIND_LIBRARY_SUFFIXES .so .a)
        find_package(CUDAToolkit REQUIRED)
    endblock()
    target_compile_options(warpseq_compile_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
elseif(WARPSEQ_CUDA STREQUAL "ON")
    message(FATAL_ERROR "WARPSEQ_CUDA=ON, but no CUDA compiler was found: put nvcc into PATH or set CUDACXX")
endif()
