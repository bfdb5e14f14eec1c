// WsdbTaxidWriter writes the sections TAXIDS and TAXONOMY of a database, which hold the taxa of its
// sequences.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "formats/fasta/record_batch.h"
#include "formats/io/spool.h"
#include "formats/taxonomy/accession_taxids.h"
#include "formats/taxonomy/taxonomy.h"
#include "formats/wsdb/wsdb_section_writer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

class WsdbTaxidWriter {
   public:
    using Name = AccessionTaxids::Name;

    /// `lists` are the lists of accessions for AccessionTaxids. The pool outlives this object.
    WsdbTaxidWriter(std::uint64_t memory_bytes, const std::filesystem::path& folder, const ThreadPool& pool,
                    std::vector<std::filesystem::path> lists);

    bool has_lists() const { return !lists_.empty(); }
    /// Consecutive sequences that have been prepared but not added. It has the taxonomy IDs of
    /// their records and, if there are lists, the names of each of their definition lines.
    struct Batch {
        std::vector<std::uint32_t> numbers;
        std::vector<std::vector<Name>> names;

        void clear() {
            numbers.clear();
            names.clear();
        }
    };
    /// Adds a record to the end of a batch. Thread-safe for distinct batches.
    void prepare(const RecordView& record, Batch& batch) const;
    /// Adds the sequences of a batch, which must be the next ones in rank order.
    Status add(const Batch& batch);
    /// Appends the sections, or none if no taxon is known. Call it once. Lists take precedence over
    /// the records.
    Result<WsdbTaxidCounts> append_sections(const Taxonomy& taxonomy, WsdbSectionWriter& sections);

   private:
    /// Enters the taxonomy IDs of the next sequence, after the lists have changed them.
    Status enter(std::vector<std::uint32_t>& taxids);

    std::vector<std::filesystem::path> lists_;
    std::optional<AccessionTaxids> accessions_;
    Spool given_;               // u32: twice the number of definition lines, plus 1 if as many taxonomy IDs follow
    Spool words_, list_words_;  // numbers and lists of the section
    std::vector<std::uint64_t> bases_;
    std::unordered_set<std::uint32_t> taxa_;
    std::uint64_t lines_done_ = 0, sequences_done_ = 0, list_numbers_ = 0;
    WsdbTaxidCounts counts_;
};

}  // namespace warpseq
