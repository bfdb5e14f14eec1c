// Merges records with identical sequences. A payload is the number of residues and the record as
// RecordBatch has it.
#include "formats/wsdb/unique_records.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>
#include <utility>

#include "formats/fasta/fasta.h"
#include "libcore/base/stop_scope.h"
#include "libcore/sequence/tile.h"

namespace warpseq {

namespace {

constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

/// One of the different sequences with a hash.
struct Representative {
    std::uint64_t position = 0, residues = 0;
    std::vector<std::uint8_t> words;
    std::string header;
    std::vector<std::uint32_t> taxids;        // of all definition lines, or empty if none is known
    std::unordered_set<std::string> headers;  // all different headers, once there are several

    bool is(std::uint64_t other_residues, std::span<const std::uint8_t> other_words) const {
        return residues == other_residues && std::ranges::equal(words, other_words);
    }
    Status merge(const RecordView& record) {
        const std::string_view other = record.header;
        if (headers.empty()) headers.insert(header);
        if (!headers.emplace(other).second) return {};
        if (header.size() + other.size() + 1 > kLongestHeaderBytes) {
            return Status::invalid_input("sequence '" + std::string(identifier_of(header).substr(0, 60)) +
                                         "' occurs so often that the headers of all are longer than " +
                                         std::to_string(kLongestHeaderBytes >> 20) + " MiB");
        }
        if (record.has_taxids() || !taxids.empty()) {
            taxids.resize(count_deflines(header));
            append_taxids(record);
        }
        header += '\x01';
        header += other;
        return {};
    }
    void append_taxids(const RecordView& record) {
        for (std::size_t line = 0, lines = count_deflines(record.header); line < lines; ++line)
            taxids.push_back(record.taxid(line));
    }
    std::vector<ResidueCode> unpacked() const {
        std::vector<ResidueCode> codes(residues);
        for (std::uint64_t i = 0; i < residues; ++i) {
            std::uint32_t word;
            std::memcpy(&word, words.data() + i / kResiduesPerWord * sizeof word, sizeof word);
            codes[i] = residue_of_word(word, static_cast<std::uint32_t>(i % kResiduesPerWord));
        }
        return codes;
    }
};

}  // namespace

Result<bool> UniqueRecords::add(const RecordBatch& batch, PendingCopies&) {
    const std::size_t payload_bytes = batch.bytes().size() + batch.records().size() * sizeof(std::uint64_t);
    if (!sort_.has_room(batch.records().size(), payload_bytes)) return false;
    sort_records_.clear();
    payloads_.resize(payload_bytes);
    std::uint8_t* place = payloads_.data();
    for (const RecordBatch::Record& record : batch.records()) {
        const auto bytes = batch.bytes_of(record);
        const std::uint64_t position =
            record.position == RecordBatch::kInOrder ? positions_end_ : input_begin_ + record.position;
        positions_end_ = std::max(positions_end_, position + 1);
        sort_records_.push_back(
            {{view_of_record(bytes, record.residues).residues_hash, position}, bytes.size() + sizeof record.residues});
        std::memcpy(place, &record.residues, sizeof record.residues);
        std::memcpy(place + sizeof record.residues, bytes.data(), bytes.size());
        place += sort_records_.back().payload_bytes;
    }
    PendingCopies copies;
    sort_.add_all(sort_records_, payloads_, copies);
    make_copies(copies);
    return true;
}

Status UniqueRecords::read(const RecordSource::Take& take, const std::function<Status()>& make_room) {
    payloads_ = {};
    WARPSEQ_TRY(sort_.finish());
    RecordBatch batch;
    PendingCopies copies;
    std::vector<Representative> of_hash;
    std::uint64_t hash = 0;
    const auto end_hash = [&]() -> Status {
        for (const Representative& each : of_hash) {
            batch.add(each.header, each.unpacked(), each.position, each.taxids);
            if (batch.bytes().size() >= kBatchBytes) WARPSEQ_TRY(give_batch(batch, copies, take, make_room));
        }
        of_hash.clear();
        return {};
    };
    SortItem item;
    for (;;) {
        WARPSEQ_TRY(StopScope::check());
        const auto more = sort_.next(item);
        if (!more.ok()) return more.status();
        if (!*more) break;
        if (item.key[0] != hash) WARPSEQ_TRY(end_hash());
        hash = item.key[0];
        std::uint64_t residues;
        std::memcpy(&residues, item.payload.data(), sizeof residues);
        const RecordView record = view_of_record(item.payload.subspan(sizeof residues), residues);
        const auto same =
            std::ranges::find_if(of_hash, [&](const auto& each) { return each.is(residues, record.words); });
        if (same != of_hash.end()) {
            ++merged_;
            WARPSEQ_TRY(same->merge(record));
        } else {
            of_hash.push_back({item.key[1],
                               residues,
                               {record.words.begin(), record.words.end()},
                               std::string(record.header),
                               {},
                               {}});
            if (record.has_taxids()) of_hash.back().append_taxids(record);
        }
        sort_.release();
    }
    WARPSEQ_TRY(end_hash());
    return batch.empty() ? Status() : give_batch(batch, copies, take, make_room);
}

}  // namespace warpseq
