// How `blastdbcmd` writes the sequences of databases, and by which names they are asked for.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/dropin/blast_command_line.h"
#include "apps/dropin/blast_databases.h"
#include "formats/output_sink.h"
#include "formats/wsdb_reader.h"
#include "libcore/base/status.h"
#include "reports/blast/blast_defline.h"

namespace warpseq::blastdbcmd {

/// Residues first .. last - 1, from 0; a last one beyond the sequence means its end.
struct Range {
    std::uint64_t first = 0, last = std::numeric_limits<std::uint64_t>::max();
    bool is_given = false;
};

/// A database that is open.
struct Source {
    BlastDatabase about;
    WsdbReader reader;
    std::uint64_t first_number = 0;  // of its first sequence, among all databases
};

std::string upper(std::string_view text);

/// The names under which a definition line may be asked for besides its whole identifier, in capitals.
std::vector<std::string> other_names(const BlastDefline& line);

/// Writes sequences as -outfmt and the options beside it say. What is written last goes out with flush().
class SequenceWriter {
   public:
    SequenceWriter(const BlastArguments& arguments, OutputSink& output);

    /// `number` of the sequence among all databases, from 0; `entry`: what was asked for; empty: everything.
    Status write(const Source& source, const Range& range, std::uint64_t number, std::string_view header,
                 std::span<const ResidueCode> residues, const std::string& entry);
    Status flush();

   private:
    void add_fasta(const std::vector<BlastDefline>& lines, const std::string& positions,
                   std::span<const ResidueCode> residues);
    void add_line(const BlastDefline& line, std::uint64_t number, std::uint64_t length,
                  std::span<const ResidueCode> residues);

    OutputSink& output_;
    std::string format_;
    std::uint64_t width_;
    bool long_ids_, target_only_, ctrl_a_, is_fasta_;
    std::string text_;
};

}  // namespace warpseq::blastdbcmd
