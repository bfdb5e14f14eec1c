// The files that searches have read, which outputs of their results must not replace.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bindings/searches/query_text.h"
#include "formats/io/run_files.h"
#include "libcore/base/status.h"
#include "options/search/common_options.h"

namespace warpseq {

/// The files of a search. Names are absolute, so they stay right in another folder and in another
/// process. Sequences and queries in memory have no file.
struct SearchInputs {
    std::string queries = {};
    std::vector<std::string> databases = {};  // or the file of profiles

    auto operator<=>(const SearchInputs&) const = default;
};

template <typename Packet>
void describe(Packet& packet, SearchInputs& inputs) {
    packet(inputs.queries, inputs.databases);
}

/// Returns the files of a search.
SearchInputs inputs_of(const QueryText& queries, const std::vector<std::filesystem::path>& databases);

/// Checks the output of a report on the results of one or more searches.
class OutputCheck {
   public:
    /// An empty name stands for an output that is no file. It may replace everything.
    explicit OutputCheck(std::filesystem::path file) : file_(std::move(file)) {}

    /// Returns a usage error if the output would replace an input of this search. Searches whose
    /// inputs were checked before are not checked again. `options` have a member `common`, whose
    /// inputs do not matter. `files_of_run` returns the files of a run with such options.
    template <typename Options, typename FilesOfRun>
    Status check(const Options& options, const SearchInputs& inputs, const FilesOfRun& files_of_run) {
        if (file_.empty() || checked_.contains(inputs)) return {};
        Options run = options;
        set_files(inputs, run.common);
        WARPSEQ_TRY(files_of_run(run).check());
        checked_.insert(inputs);
        return {};
    }

   private:
    void set_files(const SearchInputs& inputs, CommonOptions& options) const;

    std::filesystem::path file_;
    std::set<SearchInputs> checked_;
};

}  // namespace warpseq
