#include "libcore/base/version.h"

namespace warpseq {

std::string_view program_version() { return WARPSEQ_VERSION; }

}  // namespace warpseq
