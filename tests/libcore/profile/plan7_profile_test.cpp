// Profiles as search stages see them, compared with values that HMMER 3.3.2's own functions gave
// for tests/golden/hmm/every-field-3f.hmm.
#include "libcore/profile/plan7_profile.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "libcore/sequence/alphabet.h"
#include "tests/support/golden_profile.h"

using namespace warpseq;
using testing::golden_profile;

namespace {

template <typename Rows>
auto row_of(const Rows& rows, char letter, int length) {
    const auto* const first = rows.data() + std::ptrdiff_t{encode_residues({&letter, 1})[0]} * length;
    return std::vector(first, first + length);
}

}  // namespace

TEST_CASE("the 8-bit form") {
    const MsvProfile msv = quantise_msv(configure_plan7(golden_profile()));
    CHECK(msv.length == 11);
    CHECK(msv.bias == 19);
    CHECK(msv.enter == 18);
    CHECK(msv.end == 3);
    using Costs = std::vector<std::uint8_t>;
    CHECK(row_of(msv.match_costs, 'A', 11) == Costs{28, 27, 19, 19, 28, 28, 9, 25, 33, 29, 21});
    CHECK(row_of(msv.match_costs, 'W', 11) == Costs{26, 27, 19, 19, 18, 30, 30, 31, 0, 31, 29});
    CHECK(row_of(msv.match_costs, 'B', 11) == Costs{33, 26, 19, 19, 27, 32, 28, 15, 33, 31, 26});
    CHECK(row_of(msv.match_costs, 'X', 11) == Costs{27, 25, 19, 19, 26, 31, 27, 25, 32, 30, 25});
    CHECK(row_of(msv.match_costs, 'U', 11) == row_of(msv.match_costs, 'C', 11));
    CHECK(row_of(msv.match_costs, 'O', 11) == row_of(msv.match_costs, 'K', 11));
    CHECK(row_of(msv.match_costs, '*', 11) == Costs(11, 255));
    const auto padding = msv.match_costs.begin() + kPaddingCode * 11;
    CHECK(std::all_of(padding, padding + 11, [](std::uint8_t cost) { return cost == 255; }));
    CHECK(MsvProfile::move(1) == 1);
    CHECK(MsvProfile::move(2) == 2);
    CHECK(MsvProfile::move(100) == 15);
    CHECK(MsvProfile::move(400) == 21);
    CHECK(MsvProfile::move(35213) == 41);
}

TEST_CASE("the 16-bit form") {
    const ViterbiProfile viterbi = quantise_viterbi(configure_plan7(golden_profile()));
    using Scores = std::vector<std::int16_t>;
    CHECK(row_of(viterbi.match, 'A', 11) == Scores{-1462, -1263, 0, 0, -1568, -1582, 1733, -1070, -2401, -1628, -344});
    CHECK(row_of(viterbi.match, 'X', 11) == Scores{-1269, -971, 0, 0, -1136, -1977, -1272, -983, -2149, -1860, -921});
    CHECK(row_of(viterbi.match, '*', 11) == Scores(11, ViterbiProfile::kMinusInfinity));
    CHECK(viterbi.transitions.match_match[0] == ViterbiProfile::kMinusInfinity);
    CHECK(viterbi.transitions.match_delete[10] == ViterbiProfile::kMinusInfinity);
    for (const std::int16_t loop : viterbi.transitions.insert_insert) CHECK(loop <= -1);
    CHECK(ViterbiProfile::move(1) == -208);
    CHECK(ViterbiProfile::move(2) == -368);
    CHECK(ViterbiProfile::move(100) == -2551);
    CHECK(ViterbiProfile::move(400) == -3535);
    CHECK(ViterbiProfile::move(35213) == -6759);
    CHECK(ViterbiProfile::score_nats(ViterbiProfile::kMinusInfinity, 100) == -std::numeric_limits<float>::infinity());
}

TEST_CASE("odds: the same floats, bit for bit") {
    const ForwardProfile odds = forward_odds(configure_plan7(golden_profile()));
    using Odds = std::vector<float>;
    CHECK(row_of(odds.match, 'A', 11) == Odds{0x1.0dcf92p-3f, 0x1.638f14p-3f, 0x1.000022p+0f, 0x1.000022p+0f,
                                              0x1.d23734p-4f, 0x1.c8facp-4f, 0x1.61792ep+3f, 0x1.d0649cp-3f,
                                              0x1.25bcb6p-5f, 0x1.ac8656p-4f, 0x1.3dc6a8p-1f});
    CHECK(row_of(odds.match, 'B', 11) == Odds{0x1.409f4cp-5f, 0x1.73f3bcp-3f, 0x1.000006p+0f, 0x1.000006p+0f,
                                              0x1.2aecf4p-3f, 0x1.88e8p-5f, 0x1.f036ccp-4f, 0x1.21b1d6p+1f,
                                              0x1.4c678ep-5f, 0x1.172f38p-4f, 0x1.9867bep-3f});
    CHECK(row_of(odds.match, '*', 11) == Odds(11, 0.0f));
    CHECK(odds.transitions.enter == Odds{0x1.fec162p-7f, 0x1.fe357ep-7f, 0x1.fep-7f, 0x1.fdeba6p-7f, 0x1.9a22bcp-7f,
                                         0x1.e6e97p-7f, 0x1.f519fp-7f, 0x1.fa856ep-7f, 0x1.fc976ap-7f, 0x1.fd61a8p-7f,
                                         0x1.fdaf28p-7f});
    CHECK(odds.transitions.match_match[4] == 0x1.9777p-1f);
    CHECK(odds.transitions.insert_match[9] == 0x1.c8e9ecp-1f);
    CHECK(odds.transitions.delete_match[5] == 0x1.8858ap-1f);
    CHECK(odds.transitions.match_delete[3] == 0x1.965c1cp-3f);
    CHECK(odds.transitions.match_insert[8] == 0x1.9dab9p-3f);
    CHECK(odds.transitions.insert_insert[8] == 0x1.b8b5acp-4f);
    CHECK(odds.transitions.delete_delete[4] == 0x1.de9dbep-3f);
    CHECK(odds.transitions.delete_delete[10] == 0.0f);
    const LengthModel model = LengthModel::multihit(400);
    CHECK(model.loop == 0x1.fc3048p-1f);
    CHECK(model.move == 0x1.e7dc6ep-8f);
    CHECK((model.end_loop == 0.5f && model.end_move == 0.5f));
    CHECK((LengthModel::unihit(400).end_loop == 0.0f && LengthModel::unihit(400).end_move == 1.0f));
}
