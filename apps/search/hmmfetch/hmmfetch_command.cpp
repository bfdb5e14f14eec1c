#include "apps/search/hmmfetch/hmmfetch_command.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "apps/common/command_line.h"
#include "engines/hmm/hmmer2_calibration.h"
#include "formats/io/byte_source.h"
#include "formats/io/output_sink.h"
#include "formats/io/run_files.h"
#include "formats/profiles/hmm_file.h"
#include "formats/profiles/hmm_writer.h"
#include "formats/profiles/pressed_profiles.h"
#include "formats/profiles/ssi_index.h"
#include "libcore/base/version.h"

namespace warpseq {
namespace {

/// Calls use(hmm, offset) for every profile until it returns false or an error.
template <typename Use>
Status for_each_profile(const std::string& file, const Use& use) {
    HmmFileReader reader(profile_file_of(file));
    ProfileHmm hmm;
    for (;;) {
        const auto more = reader.next(hmm);
        if (!more.ok() && more.status().code() == StatusCode::kInvalidInput)
            return Status::invalid_input("bad file format in HMM file " + file + "\n" + more.status().message());
        if (!more.ok()) return more.status();
        if (!*more) return {};
        const Result<bool> continues = use(hmm, reader.profile_offset());
        if (!continues.ok()) return continues.status();
        if (!*continues) return {};
    }
}

std::string twice(std::vector<std::string> keys) {
    std::ranges::sort(keys);
    const auto found = std::ranges::adjacent_find(keys);
    return found == keys.end() ? "" : *found;
}

/// Calls use(hmm) for every profile whose name and accession `is_wanted` accepts, until it returns
/// false. Of pressed files only those profiles are read.
template <typename IsWanted, typename Use>
Status for_each_wanted(const std::string& file, const IsWanted& is_wanted, const Use& use) {
    const auto pressed = PressedProfiles::open(file);
    if (!pressed.ok()) return pressed.status();
    if (!*pressed) {
        Hmmer2Calibrator calibrator;
        return for_each_profile(file, [&](ProfileHmm& each, std::uint64_t) -> Result<bool> {
            if (!is_wanted(each.name, each.accession)) return true;
            WARPSEQ_TRY(calibrator.complete(each));
            return use(each);
        });
    }
    ProfileHmm hmm;
    for (std::size_t p = 0; p < (*pressed)->size(); ++p) {
        if (!is_wanted(std::string((*pressed)->name(p)), std::string((*pressed)->accession(p)))) continue;
        WARPSEQ_TRY((*pressed)->read(p, hmm));
        if (!use(hmm)) break;
    }
    return {};
}

std::string text_of(const ProfileHmm& hmm) {
    std::string text;
    append_hmm(hmm, text);
    return text;
}

}  // namespace

Status check_fetch_files(const HmmfetchFiles& files) {
    RunFiles all;
    all.set_existing(files.existing);
    all.add_input(files.profiles_option, files.profiles);
    for (const std::filesystem::path& file : files_beside_profiles(files.profiles))
        all.add_input(files.profiles_option, file);
    if (files.keys) all.add_input(files.keys_option, *files.keys);
    all.add_output(files.output ? files.output_option : "the fetched profiles", files.output);
    return all.check();
}

Status index_profiles(const std::string& file) {
    const std::string index = file + ".ssi";
    RunFiles files;
    files.add_input("the profiles", file);
    for (const std::filesystem::path& beside : files_beside_profiles(file))
        if (beside != index) files.add_input("the profiles", beside);
    files.add_output("the index", index);
    WARPSEQ_TRY(files.check());
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

Result<std::vector<std::string>> read_profile_keys(const std::string& file) {
    auto source = ByteSource::open(file);
    if (!source.ok()) return Status::io("Failed to open key file " + file);
    const auto text = source->read_rest();
    if (!text.ok()) return text.status();
    std::vector<std::string> keys;
    std::set<std::string> seen;
    std::istringstream lines(*text);
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

Result<std::string> fetch_profile(const std::string& file, const std::string& key) {
    std::string text;
    WARPSEQ_TRY(for_each_wanted(
        file, [&](const std::string& name, const std::string& accession) { return name == key || accession == key; },
        [&](const ProfileHmm& hmm) {
            text = text_of(hmm);
            return false;
        }));
    if (text.empty()) return Status::invalid_input("HMM " + key + " not found in file " + file);
    return text;
}

Result<FetchedProfiles> fetch_profiles(const std::string& file, const std::vector<std::string>& keys) {
    std::error_code error;
    const bool has_index =
        std::filesystem::exists(file + ".ssi", error) || std::filesystem::exists(PressedFiles(file).index, error);
    const std::set<std::string> wanted(keys.begin(), keys.end());
    std::map<std::string, std::string> texts;
    FetchedProfiles fetched;
    WARPSEQ_TRY(for_each_wanted(
        file,
        [&](const std::string& name, const std::string& accession) {
            return wanted.contains(name) || (!accession.empty() && wanted.contains(accession));
        },
        [&](const ProfileHmm& hmm) {
            if (!has_index) {
                append_hmm(hmm, fetched.text);
                ++fetched.count;
                return true;
            }
            std::string each = text_of(hmm);
            texts.try_emplace(hmm.name, each);
            if (!hmm.accession.empty()) texts.try_emplace(hmm.accession, std::move(each));
            return true;
        }));
    if (!has_index) return fetched;
    for (const std::string& key : keys) {
        const auto found = texts.find(key);
        if (found == texts.end())
            return Status::invalid_input("HMM " + key + " not found in SSI index for file " + file + "\n");
        fetched.text += found->second;
        ++fetched.count;
    }
    return fetched;
}

Status run_hmmfetch_command(const OptionValues& values, Division* division) {
    if (division != nullptr) return Status::usage("hmmfetch cannot be divided between processes");
    const bool has_list = values.count("list") != 0, is_index = values.count("index") != 0;
    const std::vector<std::string>& keys = values.unmatched();
    if (values.count("db") == 0) return Status::usage("no profiles: name a file of profiles with -d");
    if (keys.size() > 1) return Status::usage("unexpected argument '" + keys[1] + "'; give several keys with --list");
    if (keys.size() + has_list + is_index != 1)
        return Status::usage("expected one of: a key (a name or an accession), --list, --index");
    const std::string file = values.text("db");
    if (is_index && (file == "-" || values.count("out") != 0))
        return Status::usage("--index writes its file beside the file of profiles; give it with -d FILE alone");
    if (has_list && file == "-" && values.text("list") == "-")
        return Status::usage("only one of -d and --list may be standard input");
    if (is_index) return index_profiles(file);
    HmmfetchFiles files;
    files.profiles = file;
    if (has_list) files.keys = values.text("list");
    if (values.count("out") != 0) files.output = values.text("out");
    WARPSEQ_TRY(check_fetch_files(files));

    std::string text;
    if (has_list) {
        const auto list = read_profile_keys(values.text("list"));
        if (!list.ok()) return list.status();
        auto fetched = fetch_profiles(file, *list);
        if (!fetched.ok()) return fetched.status();
        text = std::move(fetched->text);
    } else {
        auto fetched = fetch_profile(file, keys.front());
        if (!fetched.ok()) return fetched.status();
        text = *std::move(fetched);
    }
    auto sink = OutputSink::open(files.output);
    if (!sink.ok()) return sink.status();
    WARPSEQ_TRY(sink->write(text));
    return sink->finish();
}

}  // namespace warpseq
