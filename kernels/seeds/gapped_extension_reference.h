// The row of a gapped extension in plain loops. Tests compare
// kernels/seeds/gapped_extension_kernels_simd.h with it.
#pragma once

#include "kernels/seeds/gapped_extension_simd.h"

namespace warpseq::reference {

void extend_row(ExtensionRowTask<std::int32_t>& task);

}  // namespace warpseq::reference
