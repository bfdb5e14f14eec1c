// Pressed files. What is read back is what was written. Damage and a changed file of profiles are
// found. tests/reference/hmmscan_test.sh checks that HMMER's files are HMMER's to the byte.
#include "formats/profiles/pressed_profiles.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "formats/profiles/hmm_file.h"
#include "formats/profiles/hmm_writer.h"
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

TEST_CASE("profiles are read back as they were pressed") {
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

/// A lease on a file, as servers of file systems take one. It ends when another open asks for it.
class Lease {
   public:
    explicit Lease(const std::filesystem::path& file) {
        struct sigaction end {};
        end.sa_handler = [](int) { fcntl(descriptor_, F_SETLEASE, F_UNLCK); };
        end.sa_flags = SA_RESTART;
        REQUIRE(sigaction(SIGIO, &end, &before_) == 0);
        descriptor_ = open(file.c_str(), O_RDWR);
        REQUIRE(descriptor_ >= 0);
        is_taken_ = fcntl(descriptor_, F_SETLEASE, F_WRLCK) == 0;
    }
    ~Lease() {
        close(descriptor_);
        sigaction(SIGIO, &before_, nullptr);
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    bool is_taken() const { return is_taken_; }

   private:
    static inline volatile sig_atomic_t descriptor_ = -1;
    struct sigaction before_ {};
    bool is_taken_ = false;
};

TEST_CASE("files on which another process has a lease are waited for") {
    const Pressed pressed;
    const PressedFiles files(pressed.file);
    for (const std::filesystem::path& file : {files.own, files.models}) {
        CAPTURE(file);
        const Lease lease(file);
        if (!lease.is_taken()) {
            MESSAGE("skipped: the file system has no leases");
            continue;
        }
        const auto opened = PressedProfiles::open(pressed.file);
        REQUIRE(opened.ok());
        CHECK(opened->has_value());
    }
}

TEST_CASE("the own file is used only together with what was pressed") {
    const Pressed pressed;
    const PressedFiles files(pressed.file);
    const auto is_used = [&] {
        const auto opened = PressedProfiles::open(pressed.file);
        REQUIRE(opened.ok());
        return opened->has_value();
    };
    const std::string text = bytes_of(pressed.file), models = bytes_of(files.models);
    const auto time_of = [](const std::filesystem::path& file) { return std::filesystem::last_write_time(file); };
    const auto text_time = time_of(pressed.file), models_time = time_of(files.models);
    CHECK(is_used());
    // Another text has another size or another time, or the same size and time with other content.
    std::ofstream(pressed.file, std::ios::app) << "# more\n";
    CHECK(!is_used());
    CHECK(profile_file_of(pressed.file) == pressed.file);
    pressed.folder.write("p.hmm", text);
    std::filesystem::last_write_time(pressed.file, text_time + std::chrono::seconds(1));
    CHECK(!is_used());
    std::string other = text;
    std::ranges::replace(other, '1', '2');
    pressed.folder.write("p.hmm", other);
    std::filesystem::last_write_time(pressed.file, text_time);
    CHECK(!is_used());
    // The same content at the same time is the same, whatever its inode.
    std::filesystem::remove(pressed.file);
    pressed.folder.write("p.hmm", text);
    std::filesystem::last_write_time(pressed.file, text_time);
    CHECK(is_used());
    // The own file is never used without the models: clients remove the other four by their names.
    std::filesystem::rename(files.models, pressed.folder.path("away"));
    CHECK(!is_used());
    std::filesystem::remove(pressed.file);
    CHECK(!is_used());
    // The own file is used with the models alone, as long as they are the pressed ones.
    std::filesystem::rename(pressed.folder.path("away"), files.models);
    CHECK(is_used());
    CHECK(profile_file_of(pressed.file) == files.models);
    std::filesystem::last_write_time(files.models, models_time + std::chrono::seconds(1));
    CHECK(!is_used());
    other = models;
    other.back() = static_cast<char>(other.back() ^ 1);
    pressed.folder.write("p.hmm.h3m", other);
    std::filesystem::last_write_time(files.models, models_time);
    CHECK(!is_used());
    pressed.folder.write("p.hmm.h3m", models);
    std::filesystem::last_write_time(files.models, models_time);
    CHECK(is_used());
    // An own file of another version is not used, and neither is one that is not there.
    std::string own = bytes_of(files.own);
    own[7] = 2;
    pressed.folder.write("p.hmm.wspressed", own);
    CHECK(!is_used());
    std::filesystem::remove(files.own);
    CHECK(!is_used());
    CHECK(!*PressedProfiles::open(pressed.folder.path("none.hmm")));
}

TEST_CASE("another file with the own file's name stays, and so does a link") {
    const Pressed pressed;
    const PressedFiles files(pressed.file);
    pressed.folder.write("p.hmm.wspressed", "notes");
    pressed.press();
    CHECK(bytes_of(files.own) == "notes");
    CHECK(!*PressedProfiles::open(pressed.file));
    std::filesystem::remove(files.own);
    std::filesystem::create_symlink("away", files.own);
    pressed.press();
    CHECK(!std::filesystem::exists(pressed.folder.path("away")));
    std::filesystem::remove(files.own);
    pressed.press();
    CHECK(*PressedProfiles::open(pressed.file));
    // An older own file is replaced.
    pressed.folder.write("p.hmm.wspressed", "WSPRESS\1");
    pressed.press();
    CHECK(*PressedProfiles::open(pressed.file));
}

TEST_CASE("pressed files that exist are written into where that is asked for") {
    const Pressed pressed;
    const PressedFiles files(pressed.file);
    std::vector<std::string> before;
    for (const auto& file : {files.models, files.index, files.filters, files.profiles}) {
        before.push_back(bytes_of(file));
        std::filesystem::create_hard_link(file, file.string() + ".link");
        std::ofstream(file) << "old";
    }
    auto presser = ProfilePresser::create(pressed.file, ExistingFile::kWriteInto);
    REQUIRE(presser.ok());
    for (const ProfileHmm& each : pressed.profiles) REQUIRE(presser->add(each).ok());
    CHECK(bytes_of(files.models) == "old");
    REQUIRE(presser->finish().ok());
    std::size_t at = 0;
    for (const auto& file : {files.models, files.index, files.filters, files.profiles})
        CHECK(bytes_of(file.string() + ".link") == before[at++]);
    CHECK(*PressedProfiles::open(pressed.file));
}

TEST_CASE("profiles that change while they are pressed are an error") {
    const Pressed pressed;
    auto presser = ProfilePresser::create(pressed.file);
    REQUIRE(presser.ok());
    REQUIRE(presser->add(pressed.profiles[0]).ok());
    std::ofstream(pressed.file, std::ios::app) << "# more\n";
    CHECK(presser->finish().message() ==
          pressed.file.string() + ": was written to while it was pressed; press it again");
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
        // Forms that were released are read once more.
        (*opened)->release_forms(p, 5);
        CHECK((*opened)->later_form(p).ok());
        CHECK((*opened)->check_forms().ok());
    }
}

TEST_CASE("models of another pressing do not pass") {
    const Pressed pressed;
    const PressedFiles files(pressed.file);
    const std::string own = bytes_of(files.own);
    // The other profiles have the same names and sizes, and other numbers.
    std::vector<ProfileHmm> others = pressed.profiles;
    for (ProfileHmm& hmm : others) std::swap(hmm.match[1][0], hmm.match[1][1]);
    auto presser = ProfilePresser::create(pressed.file);
    for (const ProfileHmm& each : others) REQUIRE(presser->add(each).ok());
    REQUIRE(presser->finish().ok());
    pressed.folder.write("p.hmm.wspressed", own);
    const auto opened = PressedProfiles::open(pressed.file);
    REQUIRE(opened.ok());
    REQUIRE(*opened);
    ProfileHmm hmm;
    CHECK((*opened)->read(1, hmm).message().find(files.models.string() + ": profile 2 (bb)") == 0);
}

TEST_CASE("any byte that is changed or missing is noticed") {
    const Pressed pressed;
    const PressedFiles files(pressed.file);
    const auto is_noticed = [&] {
        auto opened = PressedProfiles::open(pressed.file);
        if (!opened.ok()) return true;
        if (!*opened) return true;  // no own file
        bool noticed = false;
        ProfileHmm hmm;
        for (std::size_t p = 0; p < (*opened)->size(); ++p) {
            noticed = noticed || !(*opened)->read(p, hmm).ok() || !(*opened)->first_form(p).ok() ||
                      !(*opened)->later_form(p).ok();
        }
        return noticed;
    };
    CHECK(!is_noticed());
    for (const auto& file : {files.own, files.models}) {
        const std::string sound = bytes_of(file);
        for (std::size_t at = 0; at < sound.size(); at += 1 + sound.size() / 1000) {
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
