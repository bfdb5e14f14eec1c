// Sources of records, and the filter of identical records. They offer a batch again until there is
// room for it. No record is lost, and none comes twice.
#include "formats/wsdb/record_source.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

#include "formats/wsdb/unique_records.h"
#include "tests/support/scratch_folder.h"

namespace warpseq {
namespace {

/// Takes the headers of a batch when it is offered for the third time.
class ThirdTime {
   public:
    Result<bool> take(const RecordBatch& batch) {
        if (++asked_ % 3 != 0) return false;
        for (const RecordBatch::Record& record : batch.records())
            headers_.emplace_back(view_of_record(batch.bytes_of(record), record.residues).header);
        return true;
    }
    Status make_room() {
        ++rooms_made_;
        return {};
    }
    void check(const std::vector<std::string>& expected) const {
        CHECK(headers_ == expected);
        CHECK(asked_ > 3);
        CHECK(rooms_made_ == asked_ / 3 * 2);
    }

   private:
    std::vector<std::string> headers_;
    std::uint64_t asked_ = 0, rooms_made_ = 0;
};

TEST_CASE("a batch that is refused twice is offered again") {
    const testing::ScratchFolder folder;
    const auto file = folder.path("records.fa");
    std::vector<std::string> expected;
    {
        std::ofstream out(file, std::ios::binary);
        for (int n = 0; n < 2000; ++n) {
            expected.push_back("record" + std::to_string(n));
            out << '>' << expected.back() << '\n'
                << std::string(2000, 'L') << std::string(static_cast<std::size_t>(n), 'W') << '\n';
        }
    }
    const ThreadPool pool(2);
    // With `on_record`, files are read one after the other. Without it, all threads read.
    for (const bool is_looked_at : {true, false}) {
        RecordReading reading;
        if (is_looked_at) reading.on_record = [](FastaRecord&) { return Status(); };
        const auto source = make_fasta_source({file}, reading, pool);
        ThirdTime taker;
        REQUIRE(source
                    ->read([&](const RecordBatch& batch, PendingCopies&) { return taker.take(batch); },
                           [&] { return taker.make_room(); })
                    .ok());
        taker.check(expected);
    }

    UniqueRecords unique(std::uint64_t{64} << 20, folder.path(""), pool);
    unique.begin_input();
    const auto source = make_fasta_source({file}, {}, pool);
    REQUIRE(source
                ->read([&](const RecordBatch& batch, PendingCopies& copies) { return unique.add(batch, copies); },
                       [&] { return unique.make_room(); })
                .ok());
    ThirdTime taker;
    std::uint64_t records = 0;
    REQUIRE(unique
                .read(
                    [&](const RecordBatch& batch, PendingCopies&) {
                        Result<bool> taken = taker.take(batch);
                        if (*taken) records += batch.records().size();
                        return taken;
                    },
                    [&] { return taker.make_room(); })
                .ok());
    CHECK(records == expected.size());
    CHECK(unique.merged() == 0);
}

}  // namespace
}  // namespace warpseq
