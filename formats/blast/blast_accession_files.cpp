#include "formats/blast/blast_accession_files.h"

#include <lmdb.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <span>

namespace warpseq {
namespace {

static_assert(std::endian::native == std::endian::little);

/// The LMDB map sizes that makeblastdb starts with. The head of a file holds the size of its map.
constexpr std::uint64_t kKeyMapBytes = 700'000'000, kTaxidMapBytes = 300'000'000;
/// The number of entries after which makeblastdb begins a new transaction.
constexpr std::size_t kEntriesOfTransaction = 40'000;

template <typename T>
void append_number(T number, std::string& bytes) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// An LMDB file that is being written.
class LmdbFile {
   public:
    static Result<LmdbFile> create(const TemporaryFile& file, std::uint64_t map_bytes) {
        LmdbFile made;
        MDB_env* environment = nullptr;
        WARPSEQ_TRY(check(mdb_env_create(&environment)));
        made.environment_.reset(environment);
        WARPSEQ_TRY(check(mdb_env_set_maxdbs(environment, 3)));
        WARPSEQ_TRY(check(mdb_env_set_mapsize(environment, map_bytes)));
        // No other process uses the file, so no lock is needed. It is synced when it gets its name.
        const std::string name = "/proc/self/fd/" + std::to_string(file.descriptor());
        WARPSEQ_TRY(check(mdb_env_open(environment, name.c_str(), MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0600)));
        return made;
    }

    /// Runs `write` in a transaction, which is committed unless `write` fails.
    template <typename Write>
    Status transaction(Write write) {
        MDB_txn* transaction = nullptr;
        WARPSEQ_TRY(check(mdb_txn_begin(environment_.get(), nullptr, 0, &transaction)));
        const Status status = write(transaction);
        if (!status.ok()) {
            mdb_txn_abort(transaction);
            return status;
        }
        return check(mdb_txn_commit(transaction));
    }
    static Result<MDB_dbi> open(MDB_txn* transaction, const char* name, unsigned flags) {
        MDB_dbi database = 0;
        WARPSEQ_TRY(check(mdb_dbi_open(transaction, name, flags | MDB_CREATE, &database)));
        return database;
    }
    static Status put(MDB_txn* transaction, MDB_dbi database, std::string_view key, std::string_view value,
                      unsigned flags) {
        MDB_val key_value{key.size(), const_cast<char*>(key.data())};
        MDB_val data{value.size(), const_cast<char*>(value.data())};
        return check(mdb_put(transaction, database, &key_value, &data, flags));
    }

   private:
    static Status check(int error) {
        if (error == 0) return {};
        return Status::io(std::string("the index of accessions cannot be written: ") + mdb_strerror(error));
    }
    struct Close {
        void operator()(MDB_env* environment) const { mdb_env_close(environment); }
    };
    std::unique_ptr<MDB_env, Close> environment_;
};

template <typename T>
std::string_view bytes_of(const T& number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
}

/// Returns the size of a map, at least `least`, that has room for `entry_bytes` in half-full
/// leaves.
std::uint64_t map_bytes(std::uint64_t entry_bytes, std::uint64_t least) {
    constexpr std::uint64_t kFactor = 3, kPage = 4096;
    return std::max(least, entry_bytes * kFactor / kPage * kPage);
}

std::uint64_t first_bytes(std::string_view text) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), std::min(text.size(), sizeof bytes));
    return __builtin_bswap64(bytes);
}

}  // namespace

void BlastAccessions::add_key(std::string_view key, std::uint32_t sequence, bool is_shown) {
    keys_.push_back({first_bytes(key), text_.size(), static_cast<std::uint32_t>(key.size()), sequence, is_shown});
    text_ += key;
}

void BlastAccessions::add_taxids(const std::vector<std::uint32_t>& taxids) {
    taxids_.insert(taxids_.end(), taxids.begin(), taxids.end());
    taxid_ends_.push_back(taxids_.size());
}

std::string BlastAccessions::shown_accessions() const {
    constexpr std::size_t kLongLength = 255;
    // The table ends at the last sequence that has a key, as makeblastdb's does. A GI is not a key.
    const std::uint64_t sequences = keys_.empty() ? 0 : std::uint64_t{keys_.back().sequence} + 1;
    std::string text;
    std::vector<std::uint64_t> ends;
    std::vector<std::string_view> shown;
    std::size_t next = 0;
    for (std::uint64_t sequence = 0; sequence < sequences; ++sequence) {
        shown.clear();
        for (; next < keys_.size() && keys_[next].sequence == sequence; ++next)
            if (keys_[next].is_shown) shown.push_back(text_of(keys_[next]));
        std::ranges::sort(shown);
        for (const std::string_view accession : shown) {
            if (accession.size() < kLongLength) {
                text += static_cast<char>(accession.size());
            } else {
                text += static_cast<char>(kLongLength);
                append_number(static_cast<std::uint32_t>(accession.size()), text);
            }
            text += accession;
        }
        ends.push_back(text.size());
    }
    std::string bytes;
    bytes.reserve((sequences + 1) * sizeof sequences + text.size());
    append_number(sequences, bytes);
    bytes.append(reinterpret_cast<const char*>(ends.data()), ends.size() * sizeof ends[0]);
    return bytes += text;
}

Status BlastAccessions::write_keys(const std::vector<Volume>& volumes, const TemporaryFile& file) {
    std::ranges::sort(keys_, [&](const Key& a, const Key& b) {
        if (a.begins_with != b.begins_with) return a.begins_with < b.begins_with;
        const int order = text_of(a).compare(text_of(b));
        // The order is LMDB's, which compares numbers byte by byte.
        return order != 0 ? order < 0 : __builtin_bswap32(a.sequence) < __builtin_bswap32(b.sequence);
    });
    constexpr std::uint64_t kEntryBytes = 16, kVolumeBytes = 64;
    std::uint64_t name_bytes = 0;
    for (const Volume& volume : volumes) name_bytes += volume.name.size() + kVolumeBytes;
    auto lmdb = LmdbFile::create(file, map_bytes(text_.size() + keys_.size() * kEntryBytes + name_bytes, kKeyMapBytes));
    if (!lmdb.ok()) return lmdb.status();
    WARPSEQ_TRY(lmdb->transaction([&](MDB_txn* transaction) -> Status {
        const auto counts = LmdbFile::open(transaction, "volinfo", MDB_INTEGERKEY);
        if (!counts.ok()) return counts.status();
        const auto names = LmdbFile::open(transaction, "volname", MDB_INTEGERKEY);
        if (!names.ok()) return names.status();
        for (std::uint32_t v = 0; v < volumes.size(); ++v) {
            WARPSEQ_TRY(LmdbFile::put(transaction, *names, bytes_of(v), volumes[v].name, 0));
            WARPSEQ_TRY(LmdbFile::put(transaction, *counts, bytes_of(v), bytes_of(volumes[v].sequences), 0));
        }
        return {};
    }));
    for (std::size_t begin = 0; begin < keys_.size(); begin += kEntriesOfTransaction) {
        WARPSEQ_TRY(lmdb->transaction([&](MDB_txn* transaction) -> Status {
            const auto accessions = LmdbFile::open(transaction, "acc2oid", MDB_DUPSORT | MDB_DUPFIXED);
            if (!accessions.ok()) return accessions.status();
            for (std::size_t i = begin; i < std::min(begin + kEntriesOfTransaction, keys_.size()); ++i) {
                const Key& key = keys_[i];
                if (i > 0 && keys_[i - 1].sequence == key.sequence && text_of(keys_[i - 1]) == text_of(key)) continue;
                WARPSEQ_TRY(
                    LmdbFile::put(transaction, *accessions, text_of(key), bytes_of(key.sequence), MDB_APPENDDUP));
            }
            return {};
        }));
    }
    return {};
}

Result<BlastAccessions::TaxidFiles> BlastAccessions::write_taxids(const TemporaryFile& file) const {
    TaxidFiles files;
    const std::uint64_t sequences = taxid_ends_.size();
    append_number(sequences, files.pot);
    files.pot.append(reinterpret_cast<const char*>(taxid_ends_.data()), taxid_ends_.size() * sizeof taxid_ends_[0]);
    files.pot.append(reinterpret_cast<const char*>(taxids_.data()), taxids_.size() * sizeof taxids_[0]);

    std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted;  // taxonomy ID and sequence
    sorted.reserve(taxids_.size());
    std::uint64_t begin = 0;
    for (std::uint32_t sequence = 0; sequence < sequences; ++sequence) {
        for (; begin < taxid_ends_[sequence]; ++begin) sorted.emplace_back(taxids_[begin], sequence);
    }
    std::ranges::sort(sorted);
    std::vector<std::pair<std::uint32_t, std::uint64_t>> places;
    for (std::size_t i = 0; i < sorted.size();) {
        const auto end =
            static_cast<std::size_t>(std::find_if(sorted.begin() + static_cast<std::ptrdiff_t>(i), sorted.end(),
                                                  [&](const auto& entry) { return entry.first != sorted[i].first; }) -
                                     sorted.begin());
        places.emplace_back(sorted[i].first, files.pto.size());
        append_number(static_cast<std::uint32_t>(end - i), files.pto);
        for (; i < end; ++i) append_number(sorted[i].second, files.pto);
    }
    constexpr std::uint64_t kEntryBytes = 32;
    auto lmdb = LmdbFile::create(file, map_bytes(places.size() * kEntryBytes, kTaxidMapBytes));
    if (!lmdb.ok()) return lmdb.status();
    for (std::size_t first = 0; first < places.size(); first += kEntriesOfTransaction) {
        WARPSEQ_TRY(lmdb->transaction([&](MDB_txn* transaction) -> Status {
            const auto offsets = LmdbFile::open(transaction, "taxid2offset", MDB_DUPSORT | MDB_DUPFIXED);
            if (!offsets.ok()) return offsets.status();
            for (std::size_t i = first; i < std::min(first + kEntriesOfTransaction, places.size()); ++i) {
                WARPSEQ_TRY(LmdbFile::put(transaction, *offsets, bytes_of(places[i].first), bytes_of(places[i].second),
                                          MDB_APPENDDUP));
            }
            return {};
        }));
    }
    return files;
}

}  // namespace warpseq
