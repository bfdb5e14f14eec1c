// The work of `inspect`'s commands as their options say, without output on the terminal.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "formats/wsdb/wsdb_reader.h"
#include "formats/wsdb/wsdb_validate.h"
#include "libcore/base/observer.h"
#include "libcore/base/status.h"
#include "libcore/base/thread_pool.h"
#include "options/inspect/inspect_options.h"
#include "reports/inspect/database_stats.h"

namespace warpseq {

/// Opens a database, or a set as one database. A set with several volumes or removed sequences is
/// converted to a database in an unnamed file in the folder for temporary files.
Result<WsdbReader> open_as_one(const std::filesystem::path& file, const InspectArguments& arguments,
                               const ThreadPool& pool, Observer& observer);

/// Reads the database for the figures that the arguments ask for, if any.
Result<ContentStats> read_content_stats(const WsdbReader& reader, const InspectArguments& arguments,
                                        const ThreadPool& pool, Observer& observer);

/// A database, or a volume of a set, that has been checked.
struct CheckedDatabase {
    std::filesystem::path file;
    WsdbValidation validation;
};

/// The result of validating a database or a set.
struct DatabaseValidation {
    bool is_set = false;
    Status of_set;  // error in the manifest, or in what it says about the volumes
    std::vector<CheckedDatabase> checked;

    /// Returns the messages about all faults, a sentence each. Empty if the database is sound.
    std::vector<std::string> faults() const;
};

/// Checks every bit of arguments.database. Damage is in the result. An error means that the files
/// could not be examined.
Result<DatabaseValidation> validate_database(const InspectArguments& arguments, const ThreadPool& pool,
                                             Observer& observer);

}  // namespace warpseq
