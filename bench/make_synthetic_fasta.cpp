// warpseq-synth: writes a synthetic protein FASTA. bench/synthetic_fasta.h describes it.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <cxxopts.hpp>
#include <exception>
#include <string>

#include "bench/synthetic_fasta.h"
#include "formats/fasta/fasta.h"

namespace {

using namespace warpseq;

Status write_all(int fd, const std::string& name, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return Status::io(name + ": cannot be written: " + std::strerror(errno));
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Status read_queries(const std::string& file, SyntheticOptions& options) {
    FastaReader reader({file});
    for (FastaRecord record;;) {
        const Result<bool> got = reader.next(record);
        if (!got.ok()) return got.status();
        if (!*got) return {};
        options.queries.push_back({std::string(identifier_of(record.header)), record.residues});
    }
}

Status run(const cxxopts::ParseResult& arguments) {
    SyntheticOptions options;
    options.residues = arguments["residues"].as<std::uint64_t>();
    options.seed = arguments["seed"].as<std::uint64_t>();
    options.longest_residues = arguments["longest"].as<std::uint64_t>();
    if (arguments.count("query") > 0) {
        WARPSEQ_TRY(read_queries(arguments["query"].as<std::string>(), options));
        options.identities = arguments["identity"].as<std::vector<double>>();
        options.homologs = arguments["homologs"].as<std::uint64_t>();
    }
    const auto threads = arguments["threads"].as<unsigned>();
    ThreadPool pool(threads > 0 ? threads : ThreadPool::hardware_threads());

    const std::string out = arguments["out"].as<std::string>();
    const std::string name = out == "-" ? "standard output" : out;
    const int fd = out == "-" ? STDOUT_FILENO : ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return Status::io(name + ": cannot be opened for writing: " + std::strerror(errno));
    const Result<SyntheticCounts> counts =
        write_synthetic_fasta(options, pool, [&](std::string_view text) { return write_all(fd, name, text); });
    if (fd != STDOUT_FILENO && ::close(fd) != 0 && counts.ok()) {
        return Status::io(name + ": cannot be written: " + std::strerror(errno));
    }
    if (!counts.ok()) return counts.status();
    std::fprintf(stderr, "%s: %llu sequences, %llu residues, %llu homologs\n", name.c_str(),
                 static_cast<unsigned long long>(counts->sequences), static_cast<unsigned long long>(counts->residues),
                 static_cast<unsigned long long>(counts->homologs));
    return {};
}

int report(const Status& status) {
    if (!status.ok()) std::fprintf(stderr, "warpseq-synth: %s\n", status.message().c_str());
    return status.exit_status();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        cxxopts::Options declared("warpseq-synth",
                                  "Writes a synthetic protein FASTA: Swiss-Prot's composition and lengths.");
        declared.add_options()("n,residues", "residues in all", cxxopts::value<std::uint64_t>())(
            "o,out", "output file, - is standard output", cxxopts::value<std::string>()->default_value("-"))(
            "seed", "another seed gives another file", cxxopts::value<std::uint64_t>()->default_value("1"))(
            "longest", "residues of the longest random sequence",
            cxxopts::value<std::uint64_t>()->default_value("35213"))(
            "q,query", "plant homologs of the sequences in this FASTA", cxxopts::value<std::string>())(
            "identity", "identities of the homologs",
            cxxopts::value<std::vector<double>>()->default_value("0.9,0.7,0.5,0.3"))(
            "homologs", "homologs of each query at each identity", cxxopts::value<std::uint64_t>()->default_value("1"))(
            "threads", "0: all of the machine's", cxxopts::value<unsigned>()->default_value("0"))("h,help",
                                                                                                  "show this");
        const cxxopts::ParseResult arguments = declared.parse(argc, argv);
        if (arguments.count("help") > 0) {
            std::fputs(declared.help().c_str(), stdout);
            return 0;
        }
        if (arguments.count("residues") == 0 || !arguments.unmatched().empty()) {
            return report(Status::usage("--residues is needed, and nothing but options; see --help"));
        }
        return report(run(arguments));
    } catch (const cxxopts::exceptions::exception& error) {
        return report(Status::usage(error.what()));
    } catch (const std::exception& error) {
        return report(Status::io(error.what()));
    }
}
