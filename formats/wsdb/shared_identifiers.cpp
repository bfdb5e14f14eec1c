#include "formats/wsdb/shared_identifiers.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "formats/fasta/fasta.h"
#include "formats/fasta/sequence_names.h"
#include "formats/io/checksum.h"
#include "formats/wsdb/name_candidates.h"

namespace warpseq {

namespace {

/// An identifier of the new database, and the sequences that have it.
struct Identifier {
    std::uint64_t sequences = 0;
    std::uint64_t first_position = std::numeric_limits<std::uint64_t>::max();  // in the input of the new database
    std::atomic<bool> is_shared = false;
};
using Identifiers = std::unordered_map<std::string, Identifier>;

struct Example {
    std::uint64_t position;
    std::string identifier;
};

class Search {
   public:
    Search(std::span<const WsdbSet::Volume> volumes, const ThreadPool& pool, std::vector<PositionSet>* found)
        : volumes_(volumes), pool_(pool), found_(found) {}

    /// Looks in all volumes for a part of the new database's identifiers.
    Status add(Identifiers& identifiers) {
        std::vector<std::uint64_t> hashes;
        hashes.reserve(identifiers.size());
        for (const auto& [text, each] : identifiers) {
            const std::string_view name = index_name_of(text);
            hashes.push_back(checksum_of(name.data(), name.size()));
        }
        std::ranges::sort(hashes);
        hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
        for (std::size_t v = 0; v < volumes_.size(); ++v) WARPSEQ_TRY(look_in(v, hashes, identifiers));
        for (const auto& [text, each] : identifiers) {
            if (!each.is_shared.load(std::memory_order_relaxed)) continue;
            result_.sequences += each.sequences;
            add_example(each.first_position, text);
        }
        return {};
    }

    SharedIdentifiers finish() {
        for (Example& example : examples_) result_.examples.push_back(std::move(example.identifier));
        return std::move(result_);
    }

   private:
    Status look_in(std::size_t v, std::span<const std::uint64_t> hashes, Identifiers& identifiers) {
        const WsdbSet::Volume& volume = volumes_[v];
        const auto candidates = find_candidates(hashes, volume.reader, pool_);
        if (!candidates.ok()) return candidates.status();
        std::mutex mutex;
        return for_each_header(*candidates, volume.reader, pool_,
                               [&](std::uint64_t rank, std::string_view header, unsigned) -> Status {
                                   if (volume.removed && volume.removed->has(rank)) return {};
                                   const auto place = identifiers.find(std::string(identifier_of(header)));
                                   if (place == identifiers.end()) return {};
                                   place->second.is_shared.store(true, std::memory_order_relaxed);
                                   if (found_ == nullptr) return {};
                                   const std::lock_guard lock(mutex);
                                   (*found_)[v].insert(rank);
                                   return {};
                               });
    }

    /// Adds an example and keeps the first ones of the input. Parts of the identifiers come in the
    /// order of lengths, so the first ones of the input may come last.
    void add_example(std::uint64_t position, const std::string& identifier) {
        const auto same = std::ranges::find(examples_, identifier, &Example::identifier);
        if (same != examples_.end()) {
            same->position = std::min(same->position, position);
        } else {
            examples_.push_back({position, identifier});
        }
        std::ranges::sort(examples_, {}, &Example::position);
        if (examples_.size() > SharedIdentifiers::kMostExamples) examples_.pop_back();
    }

    std::span<const WsdbSet::Volume> volumes_;
    const ThreadPool& pool_;
    std::vector<PositionSet>* found_;
    SharedIdentifiers result_;
    std::vector<Example> examples_;
};

}  // namespace

Result<SharedIdentifiers> find_shared_identifiers(const WsdbReader& reader, std::span<const WsdbSet::Volume> volumes,
                                                  const ThreadPool& pool, std::uint64_t memory_bytes,
                                                  std::vector<PositionSet>* found) {
    constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20;
    constexpr std::uint64_t kEntryBytes = 128;  // of each identifier besides its text: in the table, and its hash
    const std::uint64_t most_bytes = std::max(memory_bytes / 4, kLeastBytes);
    Search search(volumes, pool, found);
    HeaderBuffer buffer;
    for (std::uint64_t rank = 0; rank < reader.sequence_count();) {
        Identifiers identifiers;
        for (std::uint64_t bytes = 0; rank < reader.sequence_count() && bytes < most_bytes; ++rank) {
            const auto header = reader.header(rank, buffer);
            if (!header.ok()) return header.status();
            const std::string_view identifier = identifier_of(*header);
            if (is_made_up_name(identifier)) continue;
            const auto [place, is_first] = identifiers.try_emplace(std::string(identifier));
            Identifier& each = place->second;
            ++each.sequences;
            each.first_position = std::min<std::uint64_t>(each.first_position, reader.input_positions()[rank]);
            if (is_first) bytes += identifier.size() + kEntryBytes;
        }
        WARPSEQ_TRY(search.add(identifiers));
    }
    return search.finish();
}

}  // namespace warpseq
