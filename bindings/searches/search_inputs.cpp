#include "bindings/searches/search_inputs.h"

#include <system_error>

namespace warpseq {
namespace {

/// Returns the absolute name of a file, or an empty text if it has no name that lasts. The names of
/// descriptors, such as /proc/self/fd/3, later stand for other files.
std::string lasting_name(const std::filesystem::path& file) {
    std::error_code error;
    std::filesystem::path whole = std::filesystem::absolute(file, error);
    const std::string text = whole.string();
    if (text.starts_with("/proc/") || text.starts_with("/dev/")) whole = std::filesystem::canonical(file, error);
    return error ? std::string() : whole.string();
}

}  // namespace

SearchInputs inputs_of(const QueryText& queries, const std::vector<std::filesystem::path>& databases) {
    SearchInputs inputs;
    inputs.queries = lasting_name(queries.file());
    for (const std::filesystem::path& database : databases) {
        std::string name = lasting_name(database);
        if (!name.empty()) inputs.databases.push_back(std::move(name));
    }
    return inputs;
}

void OutputCheck::set_files(const SearchInputs& inputs, CommonOptions& options) const {
    options.report_option = "the output";
    options.output_file = file_;
    options.query_file = inputs.queries;
    options.database_files.assign(inputs.databases.begin(), inputs.databases.end());
}

}  // namespace warpseq
