// Names of a run's files. Two names of one file are refused before anything is opened for writing.
#include "formats/io/run_files.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/scratch_folder.h"

using namespace warpseq;

namespace {

using Path = std::filesystem::path;

/// Returns the message, or an empty text if the files are accepted.
std::string refusal(const RunFiles& files) {
    const Status status = files.check();
    if (!status.ok()) CHECK(status.exit_status() == 2);
    return status.message();
}

std::string of_two(const Path& input, const Path& output) {
    RunFiles files;
    files.add_input("-q", input);
    files.add_output("-o", output);
    return refusal(files);
}

std::string of_outputs(const Path& first, const Path& second, bool share = false) {
    RunFiles files;
    files.add_output("-o", first);
    files.add_output("--table", second);
    if (share) files.let_outputs_share_streams();
    return refusal(files);
}

std::string descriptor_name(int descriptor) { return "/dev/fd/" + std::to_string(descriptor); }

}  // namespace

TEST_CASE("an output that is an input under any name is refused") {
    const testing::ScratchFolder folder;
    const auto input = folder.write("input", "x");
    std::filesystem::create_symlink("input", folder.path("link"));
    std::filesystem::create_hard_link(input, folder.path("hard"));
    for (const char* name : {"input", "./input", "link", "hard"}) {
        CHECK(of_two(input, folder.path(name)) ==
              "-o and -q name the same file, " + folder.path(name).string() + "; give each its own");
        CHECK(of_two(folder.path(name), input) != "");
    }
    const int descriptor = open(input.c_str(), O_WRONLY | O_APPEND);
    CHECK(of_two(input, descriptor_name(descriptor)) != "");
    close(descriptor);
    CHECK(of_two(input, folder.path("output")) == "");
    CHECK(of_two(folder.path("missing"), folder.path("missing")) != "");
    // A file may be read twice.
    RunFiles files;
    files.add_input("-q", input);
    files.add_input("-d", folder.path("link"));
    CHECK(refusal(files) == "");
}

TEST_CASE("an output that cannot be opened is known before the work, and trying leaves nothing behind") {
    const testing::ScratchFolder folder;
    const auto message = [&](const Path& output) {
        RunFiles files;
        files.add_input("-q", folder.path("missing"));
        files.add_output("-o", output);
        return files.check().message();
    };
    const std::string absent = folder.path("none/output").string();
    CHECK(message(absent) == absent + ": cannot create: No such file or directory");
    CHECK(message(folder.path(".")).find("cannot") != std::string::npos);
    CHECK(message(folder.path("")).find("cannot") != std::string::npos);
    folder.write("old", "x");
    CHECK(message(folder.path("old")) == "");
    CHECK(message(folder.path("new")) == "");
    // A process that opens a FIFO becomes its writer.
    REQUIRE(mkfifo(folder.path("fifo").c_str(), 0600) == 0);
    CHECK(message(folder.path("fifo")) == "");
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path(""))) ++files;
    CHECK(files == 2);
    CHECK(std::filesystem::file_size(folder.path("old")) == 1);
}

TEST_CASE("two outputs in one place are refused, whether there is a file or not") {
    const testing::ScratchFolder folder;
    folder.write("old", "x");
    std::filesystem::create_symlink("new", folder.path("dangling"));
    CHECK(of_outputs(folder.path("old"), folder.path("./old")) != "");
    CHECK(of_outputs(folder.path("new"), folder.path("./new")) ==
          "-o and --table name the same file, " + folder.path("new").string() + "; give each its own");
    CHECK(of_outputs(folder.path("dangling"), folder.path("new")) != "");
    CHECK(of_outputs(folder.path("new"), folder.path("old")) == "");
    CHECK(of_outputs("/dev/null", "/dev/null") == "");
    // This is refused even if streams may be shared, because one output would replace the other.
    CHECK(of_outputs(folder.path("new"), folder.path("new"), true) != "");
    CHECK(of_outputs(folder.path("old"), folder.path("old"), true) != "");
}

TEST_CASE("two outputs in one stream lose nothing, and are a mistake all the same but where it is usual") {
    const testing::ScratchFolder folder;
    const auto path = folder.write("file", "x");
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const int file = open(path.c_str(), O_WRONLY), again = open(path.c_str(), O_WRONLY);
    const int appends = open(path.c_str(), O_WRONLY | O_APPEND), appends_too = open(path.c_str(), O_WRONLY | O_APPEND);
    for (const auto& [first, second] :
         {std::pair(ends[1], ends[1]), std::pair(file, file), std::pair(appends, appends_too)}) {
        CHECK(of_outputs(descriptor_name(first), descriptor_name(second)) != "");
        CHECK(of_outputs(descriptor_name(first), descriptor_name(second), true) == "");
    }
    // These outputs would overwrite each other.
    CHECK(of_outputs(descriptor_name(file), descriptor_name(again), true) != "");
    CHECK(of_outputs(descriptor_name(file), path, true) != "");
    for (const int each : {ends[0], ends[1], file, again, appends, appends_too}) close(each);
}

TEST_CASE("streams: a pipe has one end of ours, a socket both") {
    const testing::ScratchFolder folder;
    REQUIRE(mkfifo(folder.path("fifo").c_str(), 0600) == 0);
    CHECK(of_two(folder.path("fifo"), folder.path("fifo")) != "");
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK(of_two(descriptor_name(ends[0]), descriptor_name(ends[0])) == "");
    close(ends[0]);
    close(ends[1]);
    RunFiles files;
    files.add_input("-q", folder.path("fifo"));
    files.add_input("--list", folder.path("fifo"));
    CHECK(refusal(files) ==
          "-q and --list read the same stream, " + folder.path("fifo").string() + "; give each its own");
    RunFiles twice;
    twice.add_input("-q", "-");
    twice.add_input("--list", "-");
    CHECK(refusal(twice) == "-q and --list read the same stream, standard input; give each its own");
}

TEST_CASE("standard streams that were redirected to a file are outputs") {
    const testing::ScratchFolder folder;
    const auto path = folder.write("file", "x");
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        const int saved = dup(stream), file = open(path.c_str(), O_RDWR | O_APPEND);
        REQUIRE(dup2(file, stream) == stream);
        RunFiles output, input, other;
        output.add_output("-o", path);
        input.add_input("-q", path);
        other.add_output("-o", folder.path("other"));
        const Status as_output = output.check(), as_input = input.check(), neither = other.check();
        RunFiles report;
        report.add_input("-q", path);
        report.add_output("the report", std::nullopt);
        const Status as_report = report.check();
        dup2(saved, stream);
        close(saved);
        close(file);
        const std::string name = stream == 0 ? "standard input" : stream == 1 ? "standard output" : "standard error";
        CHECK(as_output.message() ==
              "-o and " + name + " name the same file, " + path.string() + "; give each its own");
        CHECK(as_input.ok() == (stream != STDOUT_FILENO));
        CHECK(neither.ok());
        CHECK(as_report.ok() == (stream != STDOUT_FILENO));
    }
}

TEST_CASE("an output that exists is tried as it will be opened, and stays as it is") {
    const testing::ScratchFolder folder;
    const auto input = folder.write("input", "x"), output = folder.write("output", "old");
    for (const auto existing : {ExistingFile::kReplace, ExistingFile::kWriteInto}) {
        RunFiles files;
        files.set_existing(existing);
        files.add_input("-q", input);
        files.add_output("-o", output);
        CHECK(refusal(files) == "");
        files.add_output("--table", input);
        CHECK(refusal(files) != "");
    }
    CHECK(std::filesystem::file_size(output) == 3);
    RunFiles refusing;
    refusing.set_existing(ExistingFile::kRefuse);
    refusing.add_output("-o", output);
    CHECK(refusing.check().message() == output.string() + ": exists already");
}

TEST_CASE("files that an output numbers are outputs, where they are there") {
    const testing::ScratchFolder folder;
    const auto input = folder.write("input", "x");
    std::filesystem::create_symlink("input", folder.path("out_12.json"));
    const auto check = [&](const std::string& start, const std::string& ending, std::uint64_t most = UINT64_MAX) {
        RunFiles files;
        files.add_input("-q", input);
        files.add_numbered_outputs("-o", folder.path(start), ending, most);
        return refusal(files);
    };
    CHECK(check("out_", ".json").find("out_12.json") != std::string::npos);
    CHECK(check("out_", ".json", 12) != "");
    CHECK(check("out_", ".json", 11) == "");
    CHECK(check("out_", ".xml") == "");
    CHECK(check("out", ".json") == "");
    CHECK(check("ou", ".json") == "");
    CHECK(check("missing/out_", ".json") == "");
    for (const char* other : {"out_.json", "out_012.json", "out_99999999999999999999.json"}) {
        std::filesystem::create_symlink("input", folder.path(other));
        CHECK(check("out_", ".json", 11) == "");
    }
    std::filesystem::rename(folder.path("out_12.json"), folder.path("out_x.json"));
    CHECK(check("out_", ".json") == "");
}
