// Each sequence becomes a record of hashes. Records are matched in four steps. The first matches by
// identifier, residues and header. Each other step takes the records that are left: by identifier
// and residues, by identifier, and by residues. A step is an external sort that brings records of
// one key together, alternating between the two databases, so that few wait for a partner. If many
// do, they wait in a temporary file. For a list, three more sorts follow. They bring the
// differences into the order of the first database and then of the second one, to read identifiers
// there, and then into the order of the output.
#include "formats/wsdb/wsdb_compare.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "formats/fasta/fasta.h"
#include "formats/io/checksum.h"
#include "formats/io/external_sort.h"
#include "formats/wsdb/wsdb_content_check.h"
#include "formats/wsdb/wsdb_scan.h"

namespace warpseq {
namespace {

/// The lowest bit of a record's number, which is set for records of the second database. With it,
/// records of the two databases alternate.
constexpr std::uint64_t kAfter = 1;
/// The number of records that wait in memory for a partner before others wait in a temporary file.
constexpr std::size_t kMostWaiting = std::size_t{1} << 12;

struct Hash128 {
    std::uint64_t low = 0, high = 0;
    auto operator<=>(const Hash128&) const = default;
};

Hash128 hash_of(const void* bytes, std::size_t size) {
    const XXH128_hash_t hash = XXH3_128bits(bytes, size);
    return {hash.low64, hash.high64};
}

/// A sequence. `number` is twice its rank, plus kAfter for a sequence of the second database.
struct Record {
    std::uint64_t number = 0;
    Hash128 identifier, residues;
    std::uint64_t header = 0;
    bool is_after() const { return (number & kAfter) != 0; }
    std::uint64_t rank() const { return number / 2; }
};
static_assert(sizeof(Record) == 48);

using KeyOf = Hash128 (*)(const Record&);

Hash128 whole_key(const Record& record) {
    const std::array<std::uint64_t, 5> all = {record.identifier.low, record.identifier.high, record.residues.low,
                                              record.residues.high, record.header};
    return hash_of(all.data(), sizeof all);
}
Hash128 sequence_key(const Record& record) {
    const std::array<std::uint64_t, 4> both = {record.identifier.low, record.identifier.high, record.residues.low,
                                               record.residues.high};
    return hash_of(both.data(), sizeof both);
}

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

/// Records of one key and one database that wait for partners of the other database, in the order
/// in which they came.
class WaitingRecords {
   public:
    explicit WaitingRecords(std::function<ExternalSort()> make_sort) : make_sort_(std::move(make_sort)) {}

    std::uint64_t size() const { return size_; }
    bool are_after() const { return are_after_; }
    Status push(const Record& record) {
        if (size_ == 0) are_after_ = record.is_after();
        ++size_;
        if (!filled_ && !read_ && held_.size() < kMostWaiting) {
            held_.push_back(record);
            return {};
        }
        if (!filled_) filled_.emplace(make_sort_());
        return filled_->add({pushed_++, 0}, {bytes_of(record)});
    }
    /// Removes the first record and returns it. At least one must wait.
    Result<Record> pop() {
        --size_;
        if (!held_.empty()) {
            const Record record = held_.front();
            held_.pop_front();
            return record;
        }
        SortItem item;
        if (read_) {
            const auto more = read_->next(item);
            if (!more.ok()) return more.status();
            if (!*more) read_.reset();
        }
        if (!read_) {
            read_ = std::move(filled_);
            filled_.reset();
            WARPSEQ_TRY(read_->finish());
            const auto more = read_->next(item);
            if (!more.ok()) return more.status();
        }
        const auto record = value_of<Record>(item.payload);
        read_->release();
        if (size_ == 0) read_.reset();
        return record;
    }

   private:
    std::function<ExternalSort()> make_sort_;
    bool are_after_ = false;
    std::uint64_t size_ = 0, pushed_ = 0;
    std::deque<Record> held_;             // the first records, in memory
    std::optional<ExternalSort> read_;    // records behind these, being read
    std::optional<ExternalSort> filled_;  // the last records, still being added
};

class Comparison {
   public:
    Comparison(const WsdbReader& before, const WsdbReader& after, const ThreadPool& pool,
               const WsdbCompareOptions& options)
        : before_(before), after_(after), pool_(pool), options_(options) {}

    Result<WsdbComparison> run() {
        if (before_.content_digest() == after_.content_digest()) {
            WARPSEQ_TRY(check_digest(before_, 0));
            WARPSEQ_TRY(check_digest(after_, before_.residue_count()));
            counts_.same = before_.sequence_count();
            return counts_;
        }
        ExternalSort records = make_sort(), left = make_sort();
        WARPSEQ_TRY(read(before_, 0, records));
        WARPSEQ_TRY(read(after_, kAfter, records));
        // The files are verified before anything computed from them is handed out.
        WARPSEQ_TRY(before_.verify_unchanged(pool_));
        WARPSEQ_TRY(after_.verify_unchanged(pool_));
        const auto differ_in = [this](WsdbChange change) {
            return
                [this, change](const Record& was, const Record& is) { return differ(change, was.rank(), is.rank()); };
        };
        const auto keep = [&](KeyOf next_key) {
            return [&left, next_key](const Record& record) { return add(record, next_key, left); };
        };
        const auto next_step = [&] {
            records = std::move(left);
            left = make_sort();
        };
        const KeyOf by_identifier = [](const Record& record) { return record.identifier; };
        const KeyOf by_residues = [](const Record& record) { return record.residues; };
        WARPSEQ_TRY(match(
            records, whole_key,
            [this](const Record&, const Record&) {
                ++counts_.same;
                return Status();
            },
            keep(sequence_key)));
        next_step();
        WARPSEQ_TRY(match(records, sequence_key, differ_in(WsdbChange::kHeader), keep(by_identifier)));
        next_step();
        WARPSEQ_TRY(match(records, by_identifier, differ_in(WsdbChange::kResidues), keep(by_residues)));
        next_step();
        WARPSEQ_TRY(match(records, by_residues, differ_in(WsdbChange::kRenamed), [this](const Record& record) {
            return record.is_after() ? differ(WsdbChange::kAdded, 0, record.rank())
                                     : differ(WsdbChange::kRemoved, record.rank(), 0);
        }));
        records = make_sort();
        if (options_.on_difference) WARPSEQ_TRY(list());
        return counts_;
    }

   private:
    /// Makes a sort with a share of the memory. Three sorts are filled or read at a time. Two more,
    /// of half the size each, are needed if many records wait for a partner.
    ExternalSort make_sort(std::uint64_t parts = 4) const {
        return ExternalSort(std::max<std::uint64_t>(options_.memory_bytes / parts, std::uint64_t{1} << 20),
                            options_.temporary_folder, &pool_);
    }

    Status check_digest(const WsdbReader& reader, std::uint64_t residues_before);
    Status read(const WsdbReader& reader, std::uint64_t side, ExternalSort& records);
    static Status add(const Record& record, KeyOf key_of, ExternalSort& sort) {
        return sort.add({key_of(record).low, record.number}, {bytes_of(record)});
    }
    template <typename OnPair, typename OnLeft>
    Status match(ExternalSort& records, KeyOf key_of, const OnPair& on_pair, const OnLeft& on_left);
    Status differ(WsdbChange change, std::uint64_t rank_before, std::uint64_t rank_after);
    Status list();

    const WsdbReader& before_;
    const WsdbReader& after_;
    const ThreadPool& pool_;
    const WsdbCompareOptions& options_;
    WsdbComparison counts_;
    ExternalSort differences_ = make_sort();  // by rank in the first database, or in the second if added
};

/// Checks that the content of a database has the digest in its header. Equal digests mean equal
/// content only if this holds for both databases.
Status Comparison::check_digest(const WsdbReader& reader, std::uint64_t residues_before) {
    const std::uint64_t total = before_.residue_count() + after_.residue_count();
    return check_wsdb_digest(reader, pool_, [&](std::uint64_t done_tiles, std::uint64_t total_tiles) {
        const double share = static_cast<double>(done_tiles) / static_cast<double>(total_tiles);
        const auto residues = static_cast<std::uint64_t>(share * static_cast<double>(reader.residue_count()));
        if (options_.on_progress) options_.on_progress(residues_before + residues, total);
    });
}

Status Comparison::read(const WsdbReader& reader, std::uint64_t side, ExternalSort& all) {
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
            record.number = rank * 2 + side;
            record.identifier = hash_of(identifier.data(), identifier.size());
            record.residues = hash_of(residues.data(), residues.size());
            record.header = checksum_of(header->data(), header->size());
            return {};
        },
        [&](const std::vector<Record>& records) -> Status {
            for (const Record& record : records) WARPSEQ_TRY(add(record, whole_key, all));
            return {};
        },
        [&](std::uint64_t residues) {
            if (options_.on_progress) options_.on_progress((side == 0 ? 0 : before_.residue_count()) + residues, total);
        }));
    return {};
}

/// Calls on_pair() with the n-th record of each key of the first database and the n-th one of the
/// second, and on_left() with records that have no partner. The sort uses one half of the key, so
/// records of several keys may come together.
template <typename OnPair, typename OnLeft>
Status Comparison::match(ExternalSort& records, KeyOf key_of, const OnPair& on_pair, const OnLeft& on_left) {
    WARPSEQ_TRY(records.finish());
    // The waiting records of one half of the key, by the other half. There is one entry, unless
    // keys agree in one half by chance.
    std::vector<std::pair<std::uint64_t, WaitingRecords>> waiting;
    const auto leave_all = [&]() -> Status {
        for (auto& [half, some] : waiting) {
            while (some.size() > 0) {
                const auto record = some.pop();
                if (!record.ok()) return record.status();
                WARPSEQ_TRY(on_left(*record));
            }
        }
        if (waiting.size() > 1) waiting.clear();
        return {};
    };
    std::uint64_t half = 0;
    SortItem item;
    for (;;) {
        const auto more = records.next(item);
        if (!more.ok()) return more.status();
        if (!*more) return leave_all();
        const auto record = value_of<Record>(item.payload);
        if (item.key[0] != half) WARPSEQ_TRY(leave_all());
        // An empty list is reused for the new key.
        if (item.key[0] != half && !waiting.empty()) waiting.front().first = key_of(record).high;
        half = item.key[0];
        records.release();
        const std::uint64_t other_half = key_of(record).high;
        auto some = std::ranges::find(waiting, other_half, &std::pair<std::uint64_t, WaitingRecords>::first);
        if (some == waiting.end()) {
            waiting.emplace_back(other_half, WaitingRecords([this] { return make_sort(8); }));
            some = waiting.end() - 1;
        }
        WaitingRecords& partners = some->second;
        if (partners.size() == 0 || partners.are_after() == record.is_after()) {
            WARPSEQ_TRY(partners.push(record));
            continue;
        }
        const auto partner = partners.pop();
        if (!partner.ok()) return partner.status();
        WARPSEQ_TRY(record.is_after() ? on_pair(*partner, record) : on_pair(record, *partner));
    }
}

Status Comparison::differ(WsdbChange change, std::uint64_t rank_before, std::uint64_t rank_after) {
    ++counts_.changes[static_cast<std::size_t>(change)];
    if (!options_.on_difference) return {};
    const Pair pair{change, rank_before, rank_after};
    const bool added = change == WsdbChange::kAdded;
    return differences_.add({added ? 1u : 0u, added ? rank_after : rank_before}, {bytes_of(pair)});
}

/// Lists the differences. Identifiers are read in the order of each database.
Status Comparison::list() {
    const auto identifier = [](const WsdbReader& reader, std::uint64_t rank,
                               HeaderBuffer& buffer) -> Result<std::string> {
        const auto header = reader.header(rank, buffer);
        if (!header.ok()) return header.status();
        return std::string(identifier_of(*header));
    };
    HeaderBuffer headers;
    // Pairs with their first identifier, by rank in the second database. Pairs without a part there
    // are numbered.
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
    // Pairs with both identifiers, in the order of the output.
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
    // Reading input positions returns no errors, so the files are verified here.
    WARPSEQ_TRY(before_.verify_unchanged(pool_));
    WARPSEQ_TRY(after_.verify_unchanged(pool_));
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
