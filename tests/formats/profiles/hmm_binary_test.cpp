// Profiles in binary form. They are equal to the bit to profiles read as text. Cut files and files
// without a profile are errors.
#include "formats/profiles/hmm_binary.h"

#include <doctest/doctest.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "formats/profiles/hmm_file.h"
#include "formats/profiles/hmm_writer.h"
#include "tests/support/golden_folder.h"
#include "tests/support/scratch_folder.h"

namespace warpseq::testing {
namespace {

ProfileHmm profile_of(const std::filesystem::path& file) {
    HmmFileReader reader(file);
    ProfileHmm hmm;
    const Result<bool> more = reader.next(hmm);
    REQUIRE_MESSAGE(more.ok(), more.status().message());
    REQUIRE(*more);
    return hmm;
}

std::string text_of(const ProfileHmm& hmm) {
    std::string text;
    append_hmm(hmm, text);
    return text;
}

ProfileHmm golden() { return profile_of(testing::golden_folder() / "hmm" / "every-field-3f.hmm"); }

std::string error_of(const std::string& bytes) {
    BinaryHmmReader reader({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, "x");
    ProfileHmm hmm;
    for (;;) {
        const auto more = reader.next(hmm);
        if (!more.ok()) return more.status().message();
        if (!*more) return "";
    }
}

TEST_CASE("profiles that were read as text come back") {
    const ScratchFolder folder;
    ProfileHmm bare = golden();
    bare.accession.clear();
    bare.description.clear();
    bare.reference.clear();
    bare.structure.clear();
    bare.mask.clear();
    bare.map.clear();
    bare.commands.clear();
    bare.date.clear();
    bare.statistics.reset();
    bare.gathering.reset();
    bare.checksum.reset();
    bare.sequences.reset();
    bare.effective_sequences.reset();
    bare.longest_instance.reset();
    bare.composition.fill(kUnknownComposition);
    std::string bytes;
    append_binary_profile(golden(), bytes);
    append_binary_profile(bare, bytes);
    // Small blocks hand them out, and the first byte tells them from text.
    for (const std::size_t block : {std::size_t{1}, std::size_t{3}, kDefaultBlockBytes}) {
        HmmFileReader reader(folder.write("p.h3m", bytes), block);
        ProfileHmm hmm;
        REQUIRE(*reader.next(hmm));
        CHECK(text_of(hmm) == text_of(golden()));
        CHECK(hmm.match == golden().match);
        REQUIRE(*reader.next(hmm));
        CHECK(text_of(hmm) == text_of(bare));
        CHECK(!hmm.statistics);
        CHECK_FALSE(*reader.next(hmm));
        CHECK(reader.profiles_read() == 2);
    }
}

TEST_CASE("every version of the format comes back") {
    const ScratchFolder folder;
    for (const HmmFormat version :
         {HmmFormat::k3a, HmmFormat::k3b, HmmFormat::k3c, HmmFormat::k3d, HmmFormat::k3e, HmmFormat::k3f}) {
        CAPTURE(static_cast<char>(version));
        std::string bytes;
        append_binary_profile(golden(), bytes, version);
        // Fields that the version lacks are lost, as in the text format. But all binary versions
        // have the mask.
        ProfileHmm expected = golden();
        if (version < HmmFormat::k3c) expected.longest_instance.reset();
        if (version < HmmFormat::k3e) expected.consensus = consensus_of(expected);
        if (version == HmmFormat::k3a) {
            HmmStatistics& statistics = *expected.statistics;
            statistics.viterbi_mu = statistics.msv_mu;
            statistics.viterbi_lambda = statistics.forward_lambda = statistics.msv_lambda;
        }
        CHECK(text_of(profile_of(folder.write("p.h3m", bytes))) == text_of(expected));
    }
    std::string a, f;
    append_binary_profile(golden(), a, HmmFormat::k3a);
    append_binary_profile(golden(), f);
    CHECK(a.front() == '\xb6');
    CHECK(f.front() == '\xba');
    CHECK(a.size() + 16 == f.size());
}

TEST_CASE("cut files, and files that are not profiles, are errors") {
    std::string bytes;
    append_binary_profile(golden(), bytes);
    for (std::size_t size = 1; size < bytes.size(); ++size) {
        CAPTURE(size);
        CHECK(error_of(bytes.substr(0, size)).find("the file ends within it") != std::string::npos);
    }
    CHECK(error_of(bytes).empty());
    const auto with = [&](std::size_t at, auto value) {
        std::string other = bytes;
        std::memcpy(other.data() + at, &value, sizeof value);
        return error_of(other);
    };
    CHECK(with(1, 'x').find("expected the beginning of a binary profile") != std::string::npos);
    CHECK(with(8, std::int32_t{0}).find("found 0 nodes") != std::string::npos);
    CHECK(with(8, std::int32_t{-1}).find("found -1 nodes") != std::string::npos);
    CHECK(with(8, std::int32_t{2000000}).find("found 2000000 nodes") != std::string::npos);
    CHECK(with(12, std::int32_t{1}).find("not a protein profile") != std::string::npos);
    CHECK(with(16, 1.5F).find("not a probability among the matches") != std::string::npos);
    CHECK(error_of(bytes + "HMMER3/f").find("profile 2: expected the beginning of a binary profile") !=
          std::string::npos);
}

}  // namespace
}  // namespace warpseq::testing
