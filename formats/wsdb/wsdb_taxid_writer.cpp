#include "formats/wsdb/wsdb_taxid_writer.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "formats/fasta/sequence_names.h"
#include "formats/io/byte_spans.h"

namespace warpseq {

using wsdb::SectionType;

WsdbTaxidWriter::WsdbTaxidWriter(std::uint64_t memory_bytes, const std::filesystem::path& folder,
                                 const ThreadPool& pool, std::vector<std::filesystem::path> lists)
    : lists_(std::move(lists)),
      given_(memory_bytes / 8, folder),
      words_(memory_bytes / 8, folder),
      list_words_(memory_bytes / 8, folder) {
    if (!lists_.empty()) accessions_.emplace(memory_bytes / 8 * 5, folder, pool);
}

void WsdbTaxidWriter::prepare(const RecordView& record, Batch& batch) const {
    std::vector<std::uint32_t>& numbers = batch.numbers;
    const std::size_t lines = count_deflines(record.header);
    numbers.push_back(static_cast<std::uint32_t>(lines) << 1 | (record.has_taxids() ? 1 : 0));
    for (std::size_t line = 0; record.has_taxids() && line < lines; ++line) numbers.push_back(record.taxid(line));
    if (!has_lists()) return;
    for (const std::string_view identifier : identifiers_of(record.header))
        batch.names.push_back(AccessionTaxids::names_of(identifier));
}

Status WsdbTaxidWriter::add(const Batch& batch) {
    for (const std::vector<Name>& of_line : batch.names) WARPSEQ_TRY(accessions_->add(lines_done_++, of_line));
    return given_.append(column_bytes(batch.numbers));
}

Status WsdbTaxidWriter::enter(std::vector<std::uint32_t>& taxids) {
    for (std::uint32_t& taxid : taxids) {
        if (accessions_) {
            const auto listed = accessions_->taxid_of(counts_.lines);
            if (!listed.ok()) return listed.status();
            if (*listed != 0) {
                taxid = *listed;
                ++counts_.listed;
            }
        }
        ++counts_.lines;
        if (taxid == 0) continue;
        ++counts_.known;
        taxa_.insert(taxid);
    }
    if (sequences_done_++ % wsdb::kTaxidGroupSequences == 0) bases_.push_back(list_numbers_);
    std::uint32_t word = taxids.front();
    if (std::ranges::any_of(taxids, [word](std::uint32_t taxid) { return taxid != word; })) {
        const std::uint64_t place = list_numbers_ - bases_.back();
        if (place >= wsdb::kTaxidList)
            return Status::invalid_input(
                "65,536 sequences that follow each other have more than 2^31 definition lines");
        word = wsdb::kTaxidList | static_cast<std::uint32_t>(place);
        taxids.insert(taxids.begin(), static_cast<std::uint32_t>(taxids.size()));
        list_numbers_ += taxids.size();
        WARPSEQ_TRY(list_words_.append(column_bytes(taxids)));
    }
    return words_.append(object_bytes(word));
}

Result<WsdbTaxidCounts> WsdbTaxidWriter::append_sections(const Taxonomy& taxonomy, WsdbSectionWriter& sections) {
    if (accessions_) WARPSEQ_TRY(accessions_->read(lists_));
    std::vector<std::uint32_t> taxids;
    std::size_t wanted = 0;          // IDs that the current sequence still lacks
    std::vector<std::uint8_t> rest;  // the beginning of a number that crosses the end of a part
    WARPSEQ_TRY(given_.drain([&](std::span<const std::uint8_t> part) -> Status {
        while (!part.empty()) {
            const std::size_t missing = std::min(sizeof(std::uint32_t) - rest.size(), part.size());
            rest.insert(rest.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(missing));
            part = part.subspan(missing);
            std::uint32_t number = 0;
            if (rest.size() < sizeof number) break;
            std::memcpy(&number, rest.data(), sizeof number);
            rest.clear();
            if (wanted > 0) {
                taxids.push_back(number);
                --wanted;
            } else if ((number & 1) != 0) {
                taxids.clear();
                wanted = number >> 1;
            } else {
                taxids.assign(number >> 1, 0);
            }
            if (wanted == 0) WARPSEQ_TRY(enter(taxids));
        }
        return {};
    }));
    counts_.taxa = taxa_.size();
    if (counts_.known == 0) return counts_;
    WARPSEQ_TRY(sections.begin(SectionType::kTaxids));
    WARPSEQ_TRY(sections.write(column_bytes(bases_)));
    for (Spool* const spool : {&words_, &list_words_})
        WARPSEQ_TRY(spool->drain([&](std::span<const std::uint8_t> part) { return sections.write(part); }));
    sections.end();
    const std::vector<std::uint32_t> taxa(taxa_.begin(), taxa_.end());
    for (const std::uint32_t taxid : taxa) counts_.named += taxonomy.has(taxid) ? 1U : 0U;
    if (const std::string text = taxonomy.text_of(taxa); !text.empty())
        WARPSEQ_TRY(sections.append(SectionType::kTaxonomy, text_bytes(text)));
    return counts_;
}

}  // namespace warpseq
