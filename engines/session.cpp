#include "engines/session.h"

#include <utility>

namespace warpseq {

Result<std::unique_ptr<Session>> Session::open(const SessionSettings& settings) {
    auto databases = DatabaseSet::open(settings.database_files);
    if (!databases.ok()) return databases.status();
    auto devices = choose_devices(settings.device);
    if (!devices.ok()) return devices.status();
    return std::unique_ptr<Session>(new Session(settings, *std::move(databases), *std::move(devices)));
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
