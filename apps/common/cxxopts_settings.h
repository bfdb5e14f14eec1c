// cxxopts as all programs use it: an option that may be repeated is not split at commas, since file names may hold
// them.
#pragma once

#define CXXOPTS_VECTOR_DELIMITER '\0'
#include <cxxopts.hpp>
