// Writes sequences in the formats of `blastdbcmd`.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apps/dropin/blast_command_line.h"
#include "apps/dropin/blastdbcmd_source.h"
#include "apps/dropin/blastdbcmd_taxa.h"
#include "formats/io/output_sink.h"
#include "libcore/base/status.h"

namespace warpseq::blastdbcmd {

/// A range of residues, first .. last - 1, counted from 0. A `last` beyond the sequence means its
/// end.
struct Range {
    std::uint64_t first = 0, last = std::numeric_limits<std::uint64_t>::max();
    bool is_given = false;
};

/// Writes sequences in the format that -outfmt and related options ask for. Output is buffered, so
/// flush() must be called at the end, even after an error.
class SequenceWriter {
   public:
    /// Returns a writer for the command line, or an error if -outfmt has no field. `taxa` must
    /// outlive the writer.
    static Result<SequenceWriter> make(const BlastArguments& arguments, bool has_long_ids, TaxonLookup& taxa,
                                       OutputSink& output);

    bool needs_letters() const { return is_fasta_ || has_letters_; }
    /// Writes one sequence. `number` is its number among all databases, from 0. If only the
    /// definition line with one identifier is wanted, `target` is that identifier. Otherwise
    /// `target` is empty.
    Status write(const Sequence& sequence, std::uint64_t number, const Range& range, const std::string& target);
    Status flush();

   private:
    SequenceWriter(TaxonLookup& taxa, OutputSink& output) : taxa_(&taxa), output_(&output) {}
    Status add_fasta(const std::vector<StoredDefline>& lines, std::string_view letters, const std::string& positions);
    Status add_line(const StoredDefline& line, std::uint64_t number, std::string_view letters, std::string_view part);
    /// Returns the name that a letter of the format stands for.
    std::string taxon_name(std::int64_t taxid, char letter) const;

    TaxonLookup* taxa_;
    OutputSink* output_;
    std::vector<std::string> between_;  // texts before each letter of the format, and after the last one
    std::string letters_;               // the format's letters, one for each field
    std::uint64_t width_ = 0;
    bool has_long_ids_ = false, has_ctrl_a_ = false, are_all_ = false, is_fasta_ = false, has_letters_ = false,
         has_lines_ = false;
    std::set<std::string> written_;  // long identifiers of the whole sequences written so far
    std::string text_;
};

}  // namespace warpseq::blastdbcmd
