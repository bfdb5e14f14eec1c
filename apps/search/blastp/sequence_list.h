// A file of sequence identifiers, one a line, that says which sequences of the databases are searched, or which are not.
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

/// A line's first word is a sequence's name, "sp|P12345|FOO_HUMAN", "lcl|name" or the accession in it, whose letters may be capitals or not,
/// with or without its version. Lines without words and with '#' in front do not count. An error where the list is none, or nothing is left.
Result<TargetSelection> select_targets(const DatabaseSet& databases, const SequenceList& list, const ThreadPool& pool);

}  // namespace warpseq
