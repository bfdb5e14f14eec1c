// A mark for functions that GPU code calls, too, in headers that host code includes.
#pragma once

#ifdef __CUDACC__
#define WARPSEQ_HOST_DEVICE __host__ __device__
#else
#define WARPSEQ_HOST_DEVICE
#endif
