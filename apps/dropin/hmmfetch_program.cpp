#include "apps/dropin/hmmfetch_program.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "apps/common/command_line.h"
#include "apps/dropin/hmmer_option_tables.h"
#include "apps/dropin/hmmer_program.h"
#include "formats/byte_source.h"
#include "formats/hmm_file.h"
#include "formats/hmm_writer.h"
#include "formats/output_sink.h"
#include "formats/pressed_profiles.h"
#include "formats/ssi_index.h"

namespace warpseq {
namespace {

using namespace hmmer_tables;

constexpr EaselOption kOptions[] = {
    {"-h", Kind::kSwitch, "help; show brief info on version and usage"},
    {"-f", Kind::kSwitch, "second cmdline arg is a file of names to retrieve", "", kAny, "--index"},
    {"-o", Kind::kFile, "output HMM to file <f> instead of stdout", "", kAny, "-O,--index"},
    {"-O", Kind::kSwitch, "output HMM to file named <key>", "", kAny, "-o,-f,--index"},
    {"--index", Kind::kSwitch, "index the <hmmfile>, creating <hmmfile>.ssi"},
};
constexpr EaselGroup kGroups[] = {{"Options:", kOptions}};
constexpr HmmerProgram kHmmfetch = {
    .name = "hmmfetch",
    .banner = "retrieve profile HMM(s) from a file",
    .usage =
        "[options] <hmmfile> <key>         (retrieves HMM named <key>)\n"
        "Usage: hmmfetch [options] -f <hmmfile> <keyfile>  (retrieves all HMMs in <keyfile>)\n"
        "Usage: hmmfetch [options] --index <hmmfile>       (indexes <hmmfile>)",
    .brief_title = "",
    .groups = kGroups,
    .arguments = HmmerProgram::kAnyArguments};

std::string misuse(const EaselArguments& arguments) {
    const std::vector<std::string>& files = arguments.positional();
    const bool index = arguments.has("--index");
    if (files.size() != (index ? 1U : 2U)) return "Incorrect number of command line arguments.";
    if (index && files[0] == "-") return "Can't use - with --index, can't index <stdin>.";
    if (arguments.has("-f") && files[0] == "-" && files[1] == "-")
        return "Either <hmmfile> or <keyfile> can be - but not both.";
    return {};
}

/// Calls use(hmm, offset) for every profile, until it returns false.
template <typename Use>
Status for_each_profile(const std::string& file, const Use& use) {
    HmmFileReader reader(profile_file_of(file));
    ProfileHmm hmm;
    for (;;) {
        const auto more = reader.next(hmm);
        if (!more.ok() && more.status().code() == StatusCode::kInvalidInput)
            return Status::invalid_input("bad file format in HMM file " + file + "\n" + more.status().message());
        if (!more.ok()) return more.status();
        if (!*more || !use(hmm, reader.profile_offset())) return {};
    }
}

std::string twice(std::vector<std::string> keys) {
    std::ranges::sort(keys);
    const auto found = std::ranges::adjacent_find(keys);
    return found == keys.end() ? "" : *found;
}

Status make_index(const std::string& file) {
    const std::string index = file + ".ssi";
    WARPSEQ_TRY(print("Working...    "));
    std::vector<SsiEntry> entries;
    std::vector<std::string> names, accessions;
    WARPSEQ_TRY(for_each_profile(file, [&](const ProfileHmm& hmm, std::uint64_t offset) {
        entries.push_back({hmm.name, hmm.accession, offset});
        names.push_back(hmm.name);
        if (!hmm.accession.empty()) accessions.push_back(hmm.accession);
        return true;
    }));
    if (!twice(names).empty() || !twice(accessions).empty())
        return Status::invalid_input("Failed to write keys to ssi file " + index + "\n");
    std::string text =
        "done.\nIndexed " + std::to_string(names.size()) + " HMMs (" + std::to_string(names.size()) + " names";
    if (!accessions.empty()) text += " and " + std::to_string(accessions.size()) + " accessions";
    text += ").\nSSI index written to file " + index + "\n";
    auto out = OutputSink::open(index);
    if (!out.ok()) return out.status();
    WARPSEQ_TRY(out->write(ssi_index(file, std::move(entries))));
    WARPSEQ_TRY(out->finish());
    return print(text);
}

/// The keys of a file, one on each line; what follows is not read.
Result<std::vector<std::string>> read_keys(const std::string& file) {
    auto source = ByteSource::open(file);
    if (!source.ok()) return Status::io("Failed to open key file " + file);
    std::string text;
    for (;;) {
        const auto block = source->next_block();
        if (!block.ok()) return block.status();
        if (block->empty()) break;
        text.append(reinterpret_cast<const char*>(block->data()), block->size());
    }
    std::vector<std::string> keys;
    std::set<std::string> seen;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line.substr(0, line.find('#')));
        std::string key;
        if (!(words >> key)) continue;
        if (!seen.insert(key).second)
            return Status::invalid_input("HMM key " + key + " occurs more than once in file " + file);
        keys.push_back(key);
    }
    return keys;
}

Status not_found(const std::string& key, const std::string& file) {
    return Status::invalid_input("HMM " + key + " not found in file " + file);
}

Result<std::string> fetch_one(const std::string& file, const std::string& key) {
    std::string text;
    WARPSEQ_TRY(for_each_profile(file, [&](const ProfileHmm& hmm, std::uint64_t) {
        if (hmm.name != key && hmm.accession != key) return true;
        append_hmm(hmm, text);
        return false;
    }));
    if (text.empty()) return not_found(key, file);
    return text;
}

/// With an index profiles come in the order of the keys, and each key has to be there; without, in the order of the file.
Result<std::string> fetch_many(const std::string& file, const std::vector<std::string>& keys, std::uint64_t& fetched) {
    std::error_code error;
    const bool has_index =
        std::filesystem::exists(file + ".ssi", error) || std::filesystem::exists(PressedFiles(file).index, error);
    const std::set<std::string> wanted(keys.begin(), keys.end());
    std::map<std::string, std::string> texts;
    std::string text;
    fetched = 0;
    WARPSEQ_TRY(for_each_profile(file, [&](const ProfileHmm& hmm, std::uint64_t) {
        if (!wanted.contains(hmm.name) && (hmm.accession.empty() || !wanted.contains(hmm.accession))) return true;
        if (!has_index) {
            append_hmm(hmm, text);
            ++fetched;
            return true;
        }
        std::string each;
        append_hmm(hmm, each);
        texts.try_emplace(hmm.name, each);
        if (!hmm.accession.empty()) texts.try_emplace(hmm.accession, std::move(each));
        return true;
    }));
    if (!has_index) return text;
    for (const std::string& key : keys) {
        const auto found = texts.find(key);
        if (found == texts.end())
            return Status::invalid_input("HMM " + key + " not found in SSI index for file " + file + "\n");
        text += found->second;
        ++fetched;
    }
    return text;
}

Status fetch(const EaselArguments& arguments, const char*) {
    const std::string& file = arguments.positional()[0];
    WARPSEQ_TRY(check_profile_file(file));
    if (arguments.has("--index")) return make_index(file);
    const std::string& key = arguments.positional()[1];
    const auto output = arguments.has("-O") ? std::optional<std::string>(key) : arguments.value("-o");
    std::string text, message;
    if (arguments.has("-f")) {
        const auto keys = read_keys(key);
        if (!keys.ok()) return keys.status();
        std::uint64_t fetched = 0;
        auto found = fetch_many(file, *keys, fetched);
        if (!found.ok()) return found.status();
        text = *std::move(found);
        message = "\nRetrieved " + std::to_string(fetched) + " HMMs.\n";
    } else {
        auto found = fetch_one(file, key);
        if (!found.ok()) return found.status();
        text = *std::move(found);
        message = "\n\nRetrieved HMM " + key + ".\n";
    }
    if (!output) return print(text);
    auto out = OutputSink::open(*output);
    if (!out.ok()) return out.status();
    WARPSEQ_TRY(out->write(text));
    WARPSEQ_TRY(out->finish());
    return print(message);
}

}  // namespace

int hmmfetch_program(int argc, char** argv) {
    HmmerAction action;
    action.misuse = misuse;
    std::optional<HmmerFailure> failure;
    action.run = [&failure](const EaselArguments& arguments, const char* called) {
        const std::string index = arguments.positional()[0] + ".ssi";
        std::error_code error;
        if (!arguments.has("--index") || !std::filesystem::exists(index, error)) return fetch(arguments, called);
        failure = HmmerFailure{"SSI index " + index + " already exists; delete or rename it\n"};
        return Status::invalid_input(failure->message);
    };
    action.failure = [&failure] { return failure; };
    return run_hmmer_process(kHmmfetch, argc, argv, action);
}

std::vector<CommandSyntax> hmmfetch_syntax() { return hmmer_syntax(kHmmfetch); }

}  // namespace warpseq
