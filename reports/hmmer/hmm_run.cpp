#include "reports/hmmer/hmm_run.h"

#include "libcore/base/version.h"

namespace warpseq {

HmmReportProgram search_hmm_program() {
    const std::string version = "warpseq " + std::string(program_version());
    return {.credits = {version}, .version = version, .author = "search hmm (" + version + ")"};
}

}  // namespace warpseq
