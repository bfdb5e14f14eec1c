#include "engines/devices/database_pages.h"

#include <unistd.h>

#include <algorithm>

namespace warpseq {
namespace {

std::uint64_t memory_of_machine_bytes() {
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) : 0;
}

}  // namespace

void DatabasePages::open(const DatabaseSet& databases, const Pin& pin) {
    opened_.call([&] {
        pages_.resize(databases.size());
        if (!pin) return;
        std::uint64_t left_bytes = memory_of_machine_bytes() / 2;
        for (std::size_t d = 0; d < pages_.size(); ++d) {
            const std::span<const std::uint8_t> range = databases.reader(d).packed_tiles();
            if (range.empty()) continue;
            // The first and the last page may hold a little more than the range. So the limit is
            // not the range's own size.
            pages_[d] = pin(range, left_bytes);
            left_bytes -= std::min<std::uint64_t>(range.size(), left_bytes);
        }
    });
}

}  // namespace warpseq
