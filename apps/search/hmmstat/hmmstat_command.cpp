#include "apps/search/hmmstat/hmmstat_command.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "apps/search/hmmconvert/profile_files.h"
#include "formats/io/byte_source.h"
#include "formats/profiles/pressed_profiles.h"
#include "reports/hmmer/hmm_summary_table.h"

namespace warpseq {

Status write_summaries(HmmFileReader& profiles, OutputSink& out) {
    ProfileHmm hmm;
    std::string text;
    append_summary_heading(text);
    for (;;) {
        WARPSEQ_TRY(out.write(text));
        const auto more = profiles.next(hmm);
        if (!more.ok()) return more.status();
        if (!*more) return {};
        text.clear();
        append_summary_row(profiles.profiles_read(), hmm, text);
    }
}

Status run_hmmstat_command(const OptionValues& values, Division* division) {
    if (division != nullptr) return Status::usage("hmmstat cannot be divided between processes");
    if (values.count("db") == 0) return Status::usage("no profiles: name a file of profiles with -d");
    const std::string file = values.text("db");
    std::optional<std::filesystem::path> output;
    if (values.count("out") != 0) output = values.text("out");
    WARPSEQ_TRY(check_profile_files(file, "-d", output, output ? "-o" : "the table"));
    auto source = ByteSource::open(profile_file_of(file));
    if (!source.ok()) return source.status();
    HmmFileReader profiles(*std::move(source));
    auto out = OutputSink::open(output);
    if (!out.ok()) return out.status();
    WARPSEQ_TRY(write_summaries(profiles, *out));
    return out->finish();
}

}  // namespace warpseq
