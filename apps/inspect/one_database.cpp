#include "apps/inspect/one_database.h"

#include "apps/common/progress.h"
#include "libcore/base/thread_pool.h"
#include "options/inspect/inspect_run.h"

namespace warpseq {

Result<WsdbReader> open_as_one(const std::filesystem::path& file, const InspectArguments& arguments,
                               const std::string& program) {
    TerminalObserver observer(program, arguments.quiet);
    return open_as_one(file, arguments, ThreadPool(arguments.threads), observer);
}

}  // namespace warpseq
