// A file of sequence identifiers that says which sequences of the databases are searched, or which are not.
#pragma once

#include <filesystem>

#include "engines/targets/database_set.h"
#include "engines/targets/selection.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"

namespace warpseq {

struct SequenceList {
    std::filesystem::path file;
    bool are_left_out = false;
};

/// Each word is a sequence's name, perhaps behind '>': "sp|P12345|FOO_HUMAN", "lcl|name" or the accession in it, whose letters may be capitals
/// or not, but for PDB's, with or without its version. What follows a word that begins with '#' does not count, up to the line's end. Of
/// merged definition lines one has to be named or, to leave the sequence out, all. An error where the list is none, or nothing is left.
Result<TargetSelection> select_targets(const DatabaseSet& databases, const SequenceList& list, const ThreadPool& pool);

}  // namespace warpseq
