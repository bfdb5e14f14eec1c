// The row of a gapped extension in plain loops: the oracle of kernels/cpu/gapped_extension_kernels.h.
#pragma once

#include "kernels/cpu/gapped_extension.h"

namespace warpseq::reference {

void extend_row(ExtensionRowTask& task);

}  // namespace warpseq::reference
