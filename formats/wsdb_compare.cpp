// Each sequence becomes a record of hashes. An external sort brings records of one identifier together, a second one what these leave over
// by residues. For a list, three more bring differences into the order of the first database, to read identifiers there, of the second one,
// and of the output.
#include "formats/wsdb_compare.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "formats/checksum.h"
#include "formats/external_sort.h"
#include "formats/fasta.h"
#include "formats/wsdb_scan.h"

namespace warpseq {
namespace {

/// The second database's, in a record's number.
constexpr std::uint64_t kAfter = std::uint64_t{1} << 63;

struct Hash128 {
    std::uint64_t low = 0, high = 0;
    auto operator<=>(const Hash128&) const = default;
};

Hash128 hash_of(const void* bytes, std::size_t size) {
    const XXH128_hash_t hash = XXH3_128bits(bytes, size);
    return {hash.low64, hash.high64};
}

/// A sequence. `number` is its rank, with kAfter set for those of the second database.
struct Record {
    std::uint64_t number = 0;
    Hash128 identifier, residues;
    std::uint64_t header = 0;
    bool is_after() const { return (number & kAfter) != 0; }
    std::uint64_t rank() const { return number & ~kAfter; }
};
static_assert(sizeof(Record) == 48);

template <typename T>
std::span<const std::uint8_t> bytes_of(const T& value) {
    return {reinterpret_cast<const std::uint8_t*>(&value), sizeof value};
}
std::span<const std::uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

template <typename T>
T value_of(std::span<const std::uint8_t> bytes) {
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

/// A difference before its identifiers are known.
struct Pair {
    WsdbChange change;
    std::uint64_t rank_before, rank_after;
};

class Comparison {
   public:
    Comparison(const WsdbReader& before, const WsdbReader& after, const ThreadPool& pool,
               const WsdbCompareOptions& options)
        : before_(before), after_(after), pool_(pool), options_(options) {}

    Result<WsdbComparison> run() {
        if (before_.content_digest() == after_.content_digest()) {
            counts_.same = before_.sequence_count();
            return counts_;
        }
        WARPSEQ_TRY(read(before_, 0));
        WARPSEQ_TRY(read(after_, kAfter));
        // Before anything that was computed of it is handed out.
        WARPSEQ_TRY(before_.verify_unchanged(pool_));
        WARPSEQ_TRY(after_.verify_unchanged(pool_));
        WARPSEQ_TRY(in_groups(
            by_identifier_, [&](const Record& record) { return record.identifier; },
            [&](std::vector<Record>& group) { return match_identifier(group); }));
        by_identifier_ = make_sort();
        WARPSEQ_TRY(in_groups(
            by_residues_, [&](const Record& record) { return record.residues; },
            [&](std::vector<Record>& group) { return match_residues(group); }));
        by_residues_ = make_sort();
        if (options_.on_difference) WARPSEQ_TRY(list());
        return counts_;
    }

   private:
    /// At most three are filled at a time.
    ExternalSort make_sort() const {
        return ExternalSort(std::max<std::uint64_t>(options_.memory_bytes / 3, std::uint64_t{1} << 20),
                            options_.temporary_folder, &pool_);
    }

    Status read(const WsdbReader& reader, std::uint64_t side);
    template <typename Key, typename Use>
    Status in_groups(ExternalSort& sort, const Key& key_of, const Use& use);
    Status match_identifier(std::vector<Record>& group);
    Status match_residues(std::vector<Record>& group);
    Status differ(WsdbChange change, std::uint64_t rank_before, std::uint64_t rank_after);
    Status list();

    const WsdbReader& before_;
    const WsdbReader& after_;
    const ThreadPool& pool_;
    const WsdbCompareOptions& options_;
    WsdbComparison counts_;
    ExternalSort by_identifier_ = make_sort(), by_residues_ = make_sort();
    ExternalSort differences_ = make_sort();  // by rank in the first database, else the second
};

Status Comparison::read(const WsdbReader& reader, std::uint64_t side) {
    const std::uint64_t total = before_.residue_count() + after_.residue_count();
    std::vector<HeaderBuffer> headers(pool_.threads());
    WARPSEQ_TRY(scan_wsdb<std::vector<Record>>(
        reader, pool_,
        [&](std::vector<Record>& records, unsigned thread, std::uint64_t rank,
            std::span<const ResidueCode> residues) -> Status {
            const auto header = reader.header(rank, headers[thread]);
            if (!header.ok()) return header.status();
            const std::string_view identifier = identifier_of(*header);
            Record& record = records.emplace_back();
            record.number = side | rank;
            record.identifier = hash_of(identifier.data(), identifier.size());
            record.residues = hash_of(residues.data(), residues.size());
            record.header = checksum_of(header->data(), header->size());
            return {};
        },
        [&](const std::vector<Record>& records) -> Status {
            for (const Record& record : records)
                WARPSEQ_TRY(by_identifier_.add({record.identifier.low, record.number}, {bytes_of(record)}));
            return {};
        },
        [&](std::uint64_t residues) {
            if (options_.on_progress) options_.on_progress((side == 0 ? 0 : before_.residue_count()) + residues, total);
        }));
    return {};
}

/// Calls use() with the records of each key, those of the first database first, each database's by rank. The sort goes by one half of the
/// hash, so a group of it may be several.
template <typename Key, typename Use>
Status Comparison::in_groups(ExternalSort& sort, const Key& key_of, const Use& use) {
    WARPSEQ_TRY(sort.finish());
    std::vector<Record> same_half, group;
    std::uint64_t half = 0;
    const auto use_all = [&]() -> Status {
        while (!same_half.empty()) {
            const Hash128 key = key_of(same_half.front());
            group.clear();
            std::erase_if(same_half, [&](const Record& record) {
                if (key_of(record) != key) return false;
                group.push_back(record);
                return true;
            });
            WARPSEQ_TRY(use(group));
        }
        return {};
    };
    SortItem item;
    for (;;) {
        const auto more = sort.next(item);
        if (!more.ok()) return more.status();
        if (!*more) break;
        if (item.key[0] != half) WARPSEQ_TRY(use_all());
        half = item.key[0];
        same_half.push_back(value_of<Record>(item.payload));
        sort.release();
    }
    return use_all();
}

/// Takes pairs out of both lists, which are sorted by `key`, that have it in common, and calls use() with each.
template <typename Key, typename Use>
Status take_pairs(std::vector<Record>& before, std::vector<Record>& after, const Key& key, const Use& use) {
    std::vector<Record> left_before, left_after;
    std::size_t b = 0, a = 0;
    while (b < before.size() && a < after.size()) {
        if (key(before[b]) < key(after[a])) {
            left_before.push_back(before[b++]);
        } else if (key(after[a]) < key(before[b])) {
            left_after.push_back(after[a++]);
        } else {
            WARPSEQ_TRY(use(before[b++], after[a++]));
        }
    }
    left_before.insert(left_before.end(), before.begin() + static_cast<std::ptrdiff_t>(b), before.end());
    left_after.insert(left_after.end(), after.begin() + static_cast<std::ptrdiff_t>(a), after.end());
    before = std::move(left_before);
    after = std::move(left_after);
    return {};
}

Status Comparison::match_identifier(std::vector<Record>& group) {
    // The common case needs no lists.
    if (group.size() == 2 && !group[0].is_after() && group[1].is_after() && group[0].residues == group[1].residues &&
        group[0].header == group[1].header) {
        ++counts_.same;
        return {};
    }
    const auto middle = std::ranges::find_if(group, &Record::is_after);
    std::vector<Record> before(group.begin(), middle), after(middle, group.end());
    const auto whole = [](const Record& record) { return std::tuple(record.residues, record.header); };
    std::ranges::stable_sort(before, {}, whole);
    std::ranges::stable_sort(after, {}, whole);
    WARPSEQ_TRY(take_pairs(before, after, whole, [&](const Record&, const Record&) {
        ++counts_.same;
        return Status();
    }));
    WARPSEQ_TRY(take_pairs(
        before, after, [](const Record& record) { return record.residues; },
        [&](const Record& was, const Record& is) { return differ(WsdbChange::kHeader, was.rank(), is.rank()); }));
    std::ranges::sort(before, {}, &Record::number);
    std::ranges::sort(after, {}, &Record::number);
    const std::size_t changed = std::min(before.size(), after.size());
    for (std::size_t i = 0; i < changed; ++i)
        WARPSEQ_TRY(differ(WsdbChange::kResidues, before[i].rank(), after[i].rank()));
    for (const auto* left : {&before, &after}) {
        for (std::size_t i = changed; i < left->size(); ++i) {
            const Record& record = (*left)[i];
            WARPSEQ_TRY(by_residues_.add({record.residues.low, record.number}, {bytes_of(record)}));
        }
    }
    return {};
}

Status Comparison::match_residues(std::vector<Record>& group) {
    const auto middle = std::ranges::find_if(group, &Record::is_after);
    const auto before = static_cast<std::size_t>(middle - group.begin()), after = group.size() - before;
    const std::size_t renamed = std::min(before, after);
    for (std::size_t i = 0; i < renamed; ++i)
        WARPSEQ_TRY(differ(WsdbChange::kRenamed, group[i].rank(), group[before + i].rank()));
    for (std::size_t i = renamed; i < before; ++i) WARPSEQ_TRY(differ(WsdbChange::kRemoved, group[i].rank(), 0));
    for (std::size_t i = renamed; i < after; ++i) WARPSEQ_TRY(differ(WsdbChange::kAdded, 0, group[before + i].rank()));
    return {};
}

Status Comparison::differ(WsdbChange change, std::uint64_t rank_before, std::uint64_t rank_after) {
    ++counts_.changes[static_cast<std::size_t>(change)];
    if (!options_.on_difference) return {};
    const Pair pair{change, rank_before, rank_after};
    const bool added = change == WsdbChange::kAdded;
    return differences_.add({added ? 1u : 0u, added ? rank_after : rank_before}, {bytes_of(pair)});
}

/// Identifiers are read in the order of each database.
Status Comparison::list() {
    const auto identifier = [](const WsdbReader& reader, std::uint64_t rank,
                               HeaderBuffer& buffer) -> Result<std::string> {
        const auto header = reader.header(rank, buffer);
        if (!header.ok()) return header.status();
        return std::string(identifier_of(*header));
    };
    HeaderBuffer headers;
    // Pairs with the first identifier, by rank in the second database; where they have no part there, they are numbered.
    ExternalSort by_after = make_sort();
    WARPSEQ_TRY(differences_.finish());
    SortItem item;
    for (std::uint64_t number = 0;; ++number) {
        const auto more = differences_.next(item);
        if (!more.ok()) return more.status();
        if (!*more) break;
        const auto pair = value_of<Pair>(item.payload);
        differences_.release();
        std::string name;
        if (pair.change != WsdbChange::kAdded) {
            auto found = identifier(before_, pair.rank_before, headers);
            if (!found.ok()) return found.status();
            name = *std::move(found);
        }
        const bool removed = pair.change == WsdbChange::kRemoved;
        WARPSEQ_TRY(
            by_after.add({removed ? 0u : 1u, removed ? number : pair.rank_after}, {bytes_of(pair), bytes_of(name)}));
    }
    differences_ = make_sort();
    // And with the second one, in the order of the output.
    ExternalSort in_order = make_sort();
    WARPSEQ_TRY(by_after.finish());
    headers = {};
    for (;;) {
        const auto more = by_after.next(item);
        if (!more.ok()) return more.status();
        if (!*more) break;
        const auto pair = value_of<Pair>(item.payload);
        std::string second;
        if (pair.change != WsdbChange::kRemoved) {
            auto found = identifier(after_, pair.rank_after, headers);
            if (!found.ok()) return found.status();
            second = *std::move(found);
        }
        const auto first = item.payload.subspan(sizeof pair);
        const std::uint64_t first_bytes = first.size();
        const bool added = pair.change == WsdbChange::kAdded;
        const std::uint64_t place =
            added ? after_.input_positions()[pair.rank_after] : before_.input_positions()[pair.rank_before];
        WARPSEQ_TRY(
            in_order.add({added ? 1u : 0u, place}, {bytes_of(pair), bytes_of(first_bytes), first, bytes_of(second)}));
        by_after.release();
    }
    by_after = make_sort();
    WARPSEQ_TRY(in_order.finish());
    for (;;) {
        const auto more = in_order.next(item);
        if (!more.ok()) return more.status();
        if (!*more) return {};
        const auto pair = value_of<Pair>(item.payload);
        const auto first_bytes = value_of<std::uint64_t>(item.payload.subspan(sizeof pair));
        const auto texts = item.payload.subspan(sizeof pair + sizeof first_bytes);
        WsdbDifference difference{pair.change, pair.rank_before, pair.rank_after, {}, {}};
        difference.identifier_before.assign(texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(first_bytes));
        difference.identifier_after.assign(texts.begin() + static_cast<std::ptrdiff_t>(first_bytes), texts.end());
        in_order.release();
        WARPSEQ_TRY(options_.on_difference(difference));
    }
}

}  // namespace

Result<WsdbComparison> compare_wsdb(const WsdbReader& before, const WsdbReader& after, const ThreadPool& pool,
                                    const WsdbCompareOptions& options) {
    return Comparison(before, after, pool, options).run();
}

}  // namespace warpseq
