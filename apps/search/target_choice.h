// Which sequences of the databases a search is restricted to: by lists of identifiers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/option_set.h"
#include "engines/targets/database_set.h"
#include "engines/targets/target_members.h"
#include "formats/run_files.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

/// A file of sequence identifiers that says which sequences of the databases are searched, or which are not.
struct SequenceList {
    std::string option;  // as messages call it
    std::filesystem::path file;
    bool are_left_out = false;
};

/// Sequences of a database by their places in its input, from 0.
struct RepeatedSequences {
    std::size_t database = 0;
    std::uint64_t first = 0, end = 0;
};

/// What a command line says of it.
struct TargetChoice {
    std::optional<SequenceList> sequences = {};
    /// What a database shares with one before it: searched once. No option sets it.
    std::vector<RepeatedSequences> repeated = {};

    bool is_everything() const { return !sequences && repeated.empty(); }
};

/// Adds --seqidlist and --negative-seqidlist to the group "Targets".
void add_target_options(OptionSet& options);
/// Reads them back; none where they are not defined.
Result<TargetChoice> read_target_options(const ParsedOptions& parsed);
void add_inputs(const TargetChoice& choice, RunFiles& files);

/// What is chosen of each database. Each word of a list is a sequence's name, perhaps behind '>': "sp|P12345|FOO_HUMAN", "lcl|name" or the
/// accession in it, whose letters may be capitals or not, but for PDB's, with or without its version. What follows a word that begins
/// with '#' does not count, up to the line's end. Of merged definition lines one has to be named or, to leave the sequence out, all.
/// An error where the list is none, or nothing is left.
Result<std::vector<TargetMembers>> choose_targets(const DatabaseSet& databases, const TargetChoice& choice,
                                                  const ThreadPool& pool);

}  // namespace warpseq
