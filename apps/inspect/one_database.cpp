#include "apps/inspect/one_database.h"

#include <algorithm>
#include <utility>

#include "apps/common/progress.h"
#include "formats/wsdb/convert_fasta.h"
#include "formats/wsdb/wsdb_set.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

Result<WsdbReader> open_as_one(const std::filesystem::path& file, const InspectArguments& arguments,
                               const std::string& program) {
    if (!is_wsdb_set(file)) return WsdbReader::open(file);
    {
        auto set = WsdbSet::open(file);
        if (!set.ok()) return set.status();
        if (set->volumes().size() == 1 && !set->volumes().front().removed)
            return std::move(set->volumes().front().reader);
    }
    const ThreadPool pool(arguments.threads);
    ConvertOptions options;
    options.inputs = {file};
    options.memory_bytes = std::max(arguments.memory_bytes, WsdbWriter::min_memory_bytes(pool.threads()));
    options.temporary_folder = temporary_folder(arguments);
    TerminalObserver observer(program, arguments.quiet);
    return convert_to_unnamed(file, options, pool, observer);
}

}  // namespace warpseq
