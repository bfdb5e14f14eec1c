// The database behind Python's: its files or its text, and the sequences in them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/searches/query_text.h"
#include "bindings/searches/stored_sequences.h"

namespace warpseq::python {

/// An open database. A text of sequences is kept as long as the database, so that functions that
/// read files can open it, too.
struct PyDatabase {
    std::optional<QueryText> text;
    std::vector<std::filesystem::path> files;
    std::vector<std::string> names;  // of the files in messages
    std::shared_ptr<const StoredSequences> sequences;
};

}  // namespace warpseq::python
