#include "engines/targets/database_set.h"

#include <utility>

namespace warpseq {

Result<DatabaseSet> DatabaseSet::open(const std::vector<std::filesystem::path>& files) {
    DatabaseSet set;
    for (const auto& file : files) {
        auto reader = WsdbReader::open(file);
        if (!reader.ok()) return reader.status();
        set.add(file, {*std::move(reader)});
    }
    return set;
}

Result<DatabaseSet> DatabaseSet::open(const std::vector<std::filesystem::path>& files, const TargetSettings& settings,
                                      const ThreadPool& pool, Observer& observer) {
    DatabaseSet set;
    for (const auto& file : files) {
        auto target = open_target(file, settings, pool, observer);
        if (!target.ok()) return target.status();
        set.add(file, *std::move(target));
    }
    return set;
}

void DatabaseSet::add(const std::filesystem::path& file, Target target) {
    sequence_count_ += target.reader.sequence_count();
    residue_count_ += target.reader.residue_count();
    all_fasta_ = all_fasta_ && (target.is_fasta || target.is_blast_database);
    files_.push_back(file);
    blast_facts_.push_back(std::move(target.blast));
    whole_residues_.push_back(std::move(target.whole_residues));
    readers_.push_back(std::move(target.reader));
}

std::string DatabaseSet::names() const {
    std::string names;
    for (const std::filesystem::path& file : files_) {
        if (!names.empty()) names += "; ";
        names += file.filename().string();
    }
    return names;
}

Status DatabaseSet::verify_unchanged(const ThreadPool& pool) const {
    for (const WsdbReader& reader : readers_) WARPSEQ_TRY(reader.verify_unchanged(pool));
    return {};
}

}  // namespace warpseq
