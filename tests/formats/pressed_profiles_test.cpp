// Pressed files: what comes out is what went in; damage, and a changed file of profiles, do not pass.
#include "formats/pressed_profiles.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "formats/hmm_file.h"
#include "formats/hmm_writer.h"
#include "tests/support/golden_folder.h"
#include "tests/support/scratch_folder.h"

namespace warpseq::testing {
namespace {

std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string text_of(const ProfileHmm& hmm) {
    std::string text;
    append_hmm(hmm, text);
    return text;
}

/// A file of three profiles, pressed.
struct Pressed {
    ScratchFolder folder;
    std::filesystem::path file;
    std::vector<ProfileHmm> profiles;

    Pressed() {
        HmmFileReader reader(testing::golden_folder() / "hmm" / "every-field-3f.hmm");
        ProfileHmm hmm;
        REQUIRE(*reader.next(hmm));
        std::string text;
        for (const char* name : {"a", "bb", "c"}) {
            hmm.name = name;
            hmm.accession = hmm.name == "bb" ? "" : "ACC" + hmm.name;
            profiles.push_back(hmm);
            append_hmm(hmm, text);
        }
        file = folder.write("p.hmm", text);
        press();
    }

    void press() const {
        auto presser = ProfilePresser::create(file);
        REQUIRE(presser.ok());
        for (const ProfileHmm& each : profiles) REQUIRE(presser->add(each).ok());
        CHECK(presser->profiles() == 3);
        CHECK(presser->accessions() == 2);
        REQUIRE(presser->finish().ok());
    }
};

TEST_CASE("what comes out is what went in") {
    const Pressed pressed;
    for (const bool with_text : {true, false}) {
        if (!with_text) std::filesystem::remove(pressed.file);
        const auto opened = PressedProfiles::open(pressed.file);
        REQUIRE(opened.ok());
        REQUIRE(*opened);
        REQUIRE((*opened)->size() == 3);
        CHECK((*opened)->name(1) == "bb");
        CHECK((*opened)->accession(1).empty());
        CHECK((*opened)->accession(2) == "ACCc");
        for (std::size_t p = 0; p < 3; ++p) {
            ProfileHmm hmm;
            REQUIRE((*opened)->read(p, hmm).ok());
            CHECK(text_of(hmm) == text_of(pressed.profiles[p]));
        }
    }
    CHECK(profile_file_of(pressed.file) == PressedFiles(pressed.file).models);
    CHECK(profile_file_of("-") == "-");
}

TEST_CASE("the file of profiles is read where it is not what was pressed, or nothing was") {
    const Pressed pressed;
    std::ofstream(pressed.file, std::ios::app) << "# more\n";
    auto opened = PressedProfiles::open(pressed.file);
    REQUIRE(opened.ok());
    CHECK(!*opened);
    CHECK(profile_file_of(pressed.file) == pressed.file);
    // Of other programs.
    pressed.press();
    CHECK(*PressedProfiles::open(pressed.file));
    std::ofstream(PressedFiles(pressed.file).index) << "\xd3\xd3\xc9\xb3 another index";
    opened = PressedProfiles::open(pressed.file);
    REQUIRE(opened.ok());
    CHECK(!*opened);
    CHECK(!*PressedProfiles::open(pressed.folder.path("none.hmm")));
}

TEST_CASE("names and accessions that are there twice are found") {
    const Pressed pressed;
    auto presser = ProfilePresser::create(pressed.file);
    REQUIRE(presser.ok());
    for (const std::size_t p : {1U, 2U, 0U}) REQUIRE(presser->add(pressed.profiles[p]).ok());
    CHECK(presser->name_twice().empty());
    CHECK(presser->accession_twice().empty());
    REQUIRE(presser->add(pressed.profiles[2]).ok());
    CHECK(presser->name_twice() == "c");
    CHECK(presser->accession_twice() == "ACCc");
}

bool same(const Plan7Profile& a, const Plan7Profile& b) {
    const auto arrays = [](const Plan7Profile::Transitions& of) {
        return std::vector{of.enter,        of.match_match,  of.insert_match,  of.delete_match,
                           of.match_delete, of.match_insert, of.insert_insert, of.delete_delete};
    };
    return a.length == b.length && a.match == b.match && arrays(a.transitions) == arrays(b.transitions);
}

TEST_CASE("forms are those that a profile is configured to") {
    Pressed pressed;
    pressed.profiles[1].gathering = ScoreCutoffs{1.5F, 2};
    pressed.profiles[1].trusted.reset();
    pressed.profiles[2].statistics.reset();
    pressed.press();
    auto opened = PressedProfiles::open(pressed.file);
    REQUIRE(opened.ok());
    REQUIRE(*opened);
    REQUIRE((*opened)->open_forms().ok());
    CHECK(!(*opened)->has_forms(2));
    for (std::size_t p = 0; p < 2; ++p) {
        const ProfileHmm& hmm = pressed.profiles[p];
        const Plan7Profile configured = configure_plan7(hmm);
        REQUIRE((*opened)->has_forms(p));
        const auto first = (*opened)->first_form(p);
        REQUIRE(first.ok());
        const MsvProfile msv = quantise_msv(configured);
        CHECK(std::ranges::equal(first->msv.match_costs, msv.match_costs));
        CHECK(first->msv.length == hmm.length);
        CHECK(first->msv.bias == msv.bias);
        CHECK(first->msv.enter == msv.enter);
        CHECK(first->msv.end == msv.end);
        const ProfileHmm& head = first->head;
        CHECK(head.name == hmm.name);
        CHECK(head.accession == hmm.accession);
        CHECK(head.length == hmm.length);
        CHECK(head.composition == hmm.composition);
        CHECK(head.statistics->forward_tau == hmm.statistics->forward_tau);
        CHECK(head.statistics->msv_lambda == hmm.statistics->msv_lambda);
        for (const auto cutoffs : {&ProfileHmm::gathering, &ProfileHmm::trusted, &ProfileHmm::noise}) {
            REQUIRE((head.*cutoffs).has_value() == (hmm.*cutoffs).has_value());
            if (hmm.*cutoffs) CHECK((head.*cutoffs)->domain_bits == (hmm.*cutoffs)->domain_bits);
        }
        const auto later = (*opened)->later_form(p);
        REQUIRE(later.ok());
        CHECK(same(*later, configured));
        // Given back, and read once more.
        (*opened)->release_forms(p, 5);
        CHECK((*opened)->later_form(p).ok());
        CHECK((*opened)->check_forms().ok());
    }
}

TEST_CASE("files of another pressing, or of another program, do not pass") {
    const Pressed pressed;
    const PressedFiles files(pressed.file);
    const std::string index = bytes_of(files.index);
    std::vector<std::string> before;
    for (const auto& file : {files.filters, files.profiles}) before.push_back(bytes_of(file));
    // The same names and sizes, other numbers.
    std::vector<ProfileHmm> others = pressed.profiles;
    for (ProfileHmm& hmm : others) std::swap(hmm.match[1][0], hmm.match[1][1]);
    auto presser = ProfilePresser::create(pressed.file);
    for (const ProfileHmm& each : others) REQUIRE(presser->add(each).ok());
    REQUIRE(presser->finish().ok());
    for (std::size_t which = 0; which < before.size(); ++which) {
        const auto& file = which == 0 ? files.filters : files.profiles;
        const std::string sound = bytes_of(file);
        pressed.folder.write(file.filename().string(), before[which]);
        auto opened = PressedProfiles::open(pressed.file);
        REQUIRE((*opened)->open_forms().ok());
        const Status status = which == 0 ? (*opened)->first_form(1).status() : (*opened)->later_form(1).status();
        CHECK(status.message().find(file.string() + ": profile 2 (bb)") == 0);
        for (const std::string& foreign : {std::string(), std::string("warpseq pressed profiles 1\n"), sound + "x"}) {
            pressed.folder.write(file.filename().string(), foreign);
            opened = PressedProfiles::open(pressed.file);
            const Status refused = (*opened)->open_forms();
            CHECK(refused.message().find(file.string() + ": does not begin, or end, as what was pressed") == 0);
        }
        std::filesystem::remove(file);
        opened = PressedProfiles::open(pressed.file);
        CHECK((*opened)->open_forms().message().find(file.string()) == 0);
        pressed.folder.write(file.filename().string(), sound);
        opened = PressedProfiles::open(pressed.file);
        CHECK((*opened)->open_forms().ok());
    }
    // What was pressed before there were forms is read as HMMER's is.
    std::string old = index;
    old[7] = 1;
    pressed.folder.write(files.index.filename().string(), old);
    const auto opened = PressedProfiles::open(pressed.file);
    REQUIRE(opened.ok());
    CHECK(!*opened);
}

TEST_CASE("any byte that is changed or missing is noticed") {
    const Pressed pressed;
    const PressedFiles files(pressed.file);
    const auto is_noticed = [&] {
        auto opened = PressedProfiles::open(pressed.file);
        if (!opened.ok()) return true;
        if (!*opened) return true;  // no index of ours
        if (!(*opened)->open_forms().ok()) return true;
        bool noticed = false;
        ProfileHmm hmm;
        for (std::size_t p = 0; p < (*opened)->size(); ++p) {
            noticed = noticed || !(*opened)->read(p, hmm).ok() || !(*opened)->first_form(p).ok() ||
                      !(*opened)->later_form(p).ok();
        }
        return noticed;
    };
    CHECK(!is_noticed());
    for (const auto& file : {files.index, files.models, files.filters, files.profiles}) {
        const std::string sound = bytes_of(file);
        for (std::size_t at = 0; at < sound.size(); at += 1 + sound.size() / 500) {
            CAPTURE(at);
            std::string damaged = sound;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
            pressed.folder.write(file.filename().string(), damaged);
            CHECK(is_noticed());
            pressed.folder.write(file.filename().string(), sound.substr(0, at));
            CHECK(is_noticed());
        }
        pressed.folder.write(file.filename().string(), sound + "x");
        CHECK(is_noticed());
        pressed.folder.write(file.filename().string(), sound);
        CHECK(!is_noticed());
    }
}

}  // namespace
}  // namespace warpseq::testing
