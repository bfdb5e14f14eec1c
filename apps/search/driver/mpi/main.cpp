// `search-mpi ENGINE ...` under mpirun or srun: runs `search` on all ranks of a job, with its
// options and its report.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "apps/common/process.h"
#include "apps/search/driver/mpi/mpi_division.h"
#include "apps/search/driver/search_driver.h"
#include "apps/search/search_program.h"

namespace warpseq {
namespace {

int run(int argc, char** argv) {
    prepare_process("");  // the program that started the job says how it ended
    MpiDivision division(MPI_COMM_WORLD);
    std::vector<char*> arguments(argv, argv + argc);
    std::string quiet = "--quiet";
    if (division.rank() != 0) {
        // Only rank 0 prints; the other ranks print nothing but errors.
        if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO);
        const bool is_quiet = std::ranges::find(arguments, std::string_view(quiet)) != arguments.end();
        if (argc > 1 && !is_quiet) arguments.push_back(quiet.data());
    }
    arguments.push_back(nullptr);
    std::string program = "search-mpi";
    const Status status = guarded(
        [&] { return run_search_engine(static_cast<int>(arguments.size()) - 1, arguments.data(), division, program); });
    return division.end(program, status);
}

}  // namespace
}  // namespace warpseq

int main(int argc, char** argv) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    const int exit_status = warpseq::run(argc, argv);
    MPI_Finalize();
    return warpseq::end_of_search(exit_status);
}
