#include "formats/wsdb_v1_source.h"

#include <atomic>
#include <string>
#include <utility>

#include "formats/wsdb_v1_reader.h"

namespace warpseq {

namespace {

/// About as much is handed on at a time.
constexpr std::size_t kBatchBytes = std::size_t{1} << 20;

class WsdbV1Source : public RecordSource {
   public:
    WsdbV1Source(std::shared_ptr<const WsdbV1File> file, const RecordReading& reading)
        : file_(std::move(file)), selection_(reading.selection), on_record_(reading.on_record) {}

    Status read(const Take& take, const std::function<Status()>& make_room) override {
        WsdbRecordBatch batch;
        const auto hand_on = [&]() -> Status {
            PendingCopies copies;
            Result<bool> taken = take(batch, copies);
            if (taken.ok() && !*taken) {
                WARPSEQ_TRY(make_room());
                taken = take(batch, copies);
            }
            make_copies(copies);
            batch.clear();
            return taken.status();
        };
        WARPSEQ_TRY(read_wsdb_v1(*file_, [&](const WsdbV1Sequence& sequence) -> Status {
            bytes_read_ = sequence.bytes_read;
            if (selection_ != nullptr && !selection_->wants(sequence.header, sequence.residues.size())) return {};
            nucleotides_.add(sequence.residues);
            ++counts_.records;
            counts_.residues += sequence.residues.size();
            if (sequence.residues.empty()) ++counts_.empty_sequences;
            if (on_record_) {
                FastaRecord record{
                    std::string(sequence.header), {sequence.residues.begin(), sequence.residues.end()}, {}, 0};
                WARPSEQ_TRY(on_record_(record));
                batch.add(record.header, record.residues, sequence.position);
            } else {
                batch.add(sequence.header, sequence.residues, sequence.position);
            }
            return batch.bytes().size() >= kBatchBytes ? hand_on() : Status();
        }));
        return batch.empty() ? Status() : hand_on();
    }
    std::uint64_t bytes_read() const override { return bytes_read_; }
    std::uint64_t size_bytes() const override { return file_->size_bytes(); }
    FastaCounts counts() const override { return counts_; }
    FastaCounts counts_before() const override { return takes_all() ? file_->counts_before() : FastaCounts(); }
    bool skipped_invalid_before() const override { return takes_all() && file_->provenance().skip_invalid; }
    NucleotideDetector nucleotides() const override { return nucleotides_; }
    std::vector<RecordOrigin> origins() const override {
        std::vector<RecordOrigin> origins;
        for (const WsdbProvenance::Source& source : file_->provenance().sources)
            origins.push_back({source.name, source.size_bytes.value_or(0), source.xxh3_128, {}});
        if (!takes_all() || origins.empty())
            origins = {{file_->file().filename().string(), file_->size_bytes(), {}, file_->content_digest()}};
        return origins;
    }
    std::optional<BlastFacts> blast_facts() const override { return file_->provenance().blast; }

   private:
    bool takes_all() const { return selection_ == nullptr || selection_->wants_all(); }

    std::shared_ptr<const WsdbV1File> file_;
    const RecordSelection* selection_;
    std::function<Status(FastaRecord& record)> on_record_;
    std::atomic<std::uint64_t> bytes_read_ = 0;
    FastaCounts counts_;
    NucleotideDetector nucleotides_;
};

}  // namespace

std::unique_ptr<RecordSource> make_wsdb_v1_source(std::shared_ptr<const WsdbV1File> file,
                                                  const RecordReading& reading) {
    return std::make_unique<WsdbV1Source>(std::move(file), reading);
}

}  // namespace warpseq
