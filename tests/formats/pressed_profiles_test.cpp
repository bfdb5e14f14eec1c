// Pressed files: what comes out is what went in; damage, and a changed file of profiles, do not pass.
#include "formats/pressed_profiles.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "formats/hmm_file.h"
#include "formats/hmm_writer.h"
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
        HmmFileReader reader(std::filesystem::path(WARPSEQ_GOLDEN_FOLDER) / "hmm" / "every-field-3f.hmm");
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

TEST_CASE("any byte that is changed or missing is noticed") {
    const Pressed pressed;
    const PressedFiles files(pressed.file);
    const auto is_noticed = [&] {
        const auto opened = PressedProfiles::open(pressed.file);
        if (!opened.ok()) return true;
        if (!*opened) return true;  // no index of ours
        bool noticed = false;
        ProfileHmm hmm;
        for (std::size_t p = 0; p < (*opened)->size(); ++p) noticed = noticed || !(*opened)->read(p, hmm).ok();
        return noticed;
    };
    CHECK(!is_noticed());
    for (const auto& file : {files.index, files.models}) {
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
