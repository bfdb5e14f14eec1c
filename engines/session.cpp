#include "engines/session.h"

#include <utility>

namespace warpseq {

Result<std::unique_ptr<Session>> Session::open(const SessionSettings& settings) {
    Observer silent;
    return open(settings, silent);
}

Result<std::unique_ptr<Session>> Session::open(const SessionSettings& settings, Observer& observer) {
    const ThreadPool pool(settings.threads);
    auto databases = DatabaseSet::open(settings.database_files, settings.targets, pool, observer);
    if (!databases.ok()) return databases.status();
    DeviceRequest request = settings.device;
    const bool few =
        databases->size() > 0 && databases->all_fasta() && databases->residue_count() <= kFewResiduesOfFasta;
    if (few && request.kind == DeviceRequest::Kind::kAuto) request.kind = DeviceRequest::Kind::kCpu;
    auto devices = choose_devices(request);
    if (!devices.ok()) return devices.status();
    return std::unique_ptr<Session>(new Session(settings, pool, *std::move(databases), *std::move(devices)));
}

Status Session::verify_unchanged() const {
    ThreadPool pool = pool_.with_stop({});
    return databases_.verify_unchanged(pool);
}

Status Session::explain(Status status) const {
    if (status.code() == StatusCode::kInvalidInput) WARPSEQ_TRY(verify_unchanged());
    return status;
}

}  // namespace warpseq
