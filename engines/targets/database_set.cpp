#include "engines/targets/database_set.h"

#include <utility>

namespace warpseq {

Result<DatabaseSet> DatabaseSet::open(const std::vector<std::filesystem::path>& files) {
    DatabaseSet set;
    for (const auto& file : files) {
        auto reader = WsdbReader::open(file);
        if (!reader.ok()) return reader.status();
        set.sequence_count_ += reader->sequence_count();
        set.residue_count_ += reader->residue_count();
        set.readers_.push_back(*std::move(reader));
    }
    return set;
}

std::string DatabaseSet::names() const {
    std::string names;
    for (const WsdbReader& reader : readers_) {
        if (!names.empty()) names += "; ";
        names += reader.file().filename().string();
    }
    return names;
}

Status DatabaseSet::verify_unchanged(const ThreadPool& pool) const {
    for (const WsdbReader& reader : readers_) WARPSEQ_TRY(reader.verify_unchanged(pool));
    return {};
}

}  // namespace warpseq
