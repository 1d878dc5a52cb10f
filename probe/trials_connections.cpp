// These trials look at connections: at what they show of the other side before anything is asked for, how many requests
// one carries, and how long it may idle. One looks at a file of the provider's.
#include "base/wall_time.hpp"
#include "probe/reply_words.hpp"
#include "probe/statement_look.hpp"
#include "probe/trials.hpp"

#include <fmt/format.h>

#include <array>

namespace gateway::probe {
namespace {

// More requests on a connection show nothing that a gateway would notice.
constexpr int most_requests = 120;
// A connection waits so long. The last wait is a little longer than the gateway itself keeps an idle one.
constexpr std::array<Duration, 3> idle_waits{Duration(2'000), Duration(6'000), Duration(20'000)};
constexpr std::array<std::string_view, 3> idle_words{"under-2s", "2s-6s", "6s-20s"};

std::string tls_in_portuguese(const PeerFacts& facts) {
    auto text = facts.tls;
    if (!facts.tls_taken.empty()) text += fmt::format("; aceita {}", fmt::join(facts.tls_taken, " e "));
    if (!facts.tls_refused.empty()) text += fmt::format("; recusa {}", fmt::join(facts.tls_refused, " e "));
    return text;
}

// The second that the other side says began up to a second ago, so that its clock is known to half a second only.
std::string clock_in_portuguese(WallTime::duration difference) {
    constexpr Duration accuracy{500};
    const auto ahead = std::chrono::floor<Duration>(difference) + accuracy;
    if (ahead >= -accuracy && ahead <= accuracy) return "nenhuma diferença do nosso que se possa medir (±500 ms)";
    return ahead > Duration(0) ? fmt::format("{} ms à frente do nosso (±500)", ahead.count())
                               : fmt::format("{} ms atrás do nosso (±500)", -ahead.count());
}

void note_peer(const std::string& name, const PeerFacts& facts, Found& found) {
    found.fact(name + ": endereços", fmt::format("{}", fmt::join(facts.addresses, ", ")));
    if (!facts.trouble.empty()) found.fact(name + ": problema", facts.trouble);
    if (!facts.tls.empty()) found.fact(name + ": TLS", tls_in_portuguese(facts));
    int number = 0;
    for (const auto& one : facts.chain)
        found.fact(
            fmt::format("{}: certificado {}", name, ++number),
            fmt::format("{}, até {}, pinned_key {}", one.subject, one.ends ? to_rfc3339(*one.ends) : "?", one.pin));
}

void count_requests(Setting& setting, Found& found) {
    const auto& question = setting.questions.begin()->second;
    constexpr std::string_view point = "keep-alive-requests";
    setting.bench.query(question);
    auto before = setting.opened();
    int closed = 0;
    int on_this = 0;  // since a connection was seen to begin
    while (on_this < most_requests) {
        told(setting.bench.query(question));
        ++on_this;
        if (setting.opened() == before) continue;
        before = setting.opened();
        // The first connection may have carried other requests before.
        if (++closed > 1) {
            found.answer(point, std::to_string(on_this), "depois disso a conexão é encerrada");
            return;
        }
        on_this = 0;
    }
    if (closed == 0)
        found.answer(point, "unlimited", fmt::format("{} requisições em uma conexão", most_requests));
    else
        found.answer(point, fmt::format("over-{}", on_this), "não se viu mais de uma conexão inteira");
}

bool takes_new_connection(Setting& setting) {
    const auto before = setting.opened();
    told(setting.bench.query(setting.questions.begin()->second));
    return setting.opened() != before;
}

void wait_idle(Setting& setting, Found& found) {
    // The first query may have met a connection at the end of its requests. The second meets the one that then began.
    const bool first = takes_new_connection(setting);
    const bool second = first && takes_new_connection(setting);
    if (second) throw Untold{"cada conexão leva uma só requisição: não se vê quanto tempo ficaria aberta"};
    for (std::size_t i = 0; i < idle_waits.size(); ++i) {
        takes_new_connection(setting);
        // A connection also ends once it has carried all of its requests, but the next one does not yet.
        bool ended = true;
        for (int tries = 0; tries < 2 && ended; ++tries) {
            setting.bench.pause(idle_waits.at(i));
            ended = takes_new_connection(setting);
        }
        if (!ended) continue;
        found.answer("keep-alive-idle", idle_words.at(i));
        return;
    }
    found.answer("keep-alive-idle", "over-20s");
}

}  // namespace

// Nothing of this is an open point: the report shows it as facts.
void look_at_peers(Setting& setting, Found& found, Family) {
    if (setting.peers.empty())
        found.fact("endereços, TLS e relógio", "não foram vistos: há um proxy no meio (provider.proxy)");
    auto& bench = setting.bench;
    for (const auto& peer : setting.peers) {
        note_peer(peer.name, bench.wait_for(look_at_peer(bench.parts().executor, peer, bench.clock())), found);
        http::ClientRequest request;
        request.target = "/";
        request.label = "relógio";
        const auto reply = bench.exchange(*peer.client, std::move(request));
        if (reply.dated)
            found.fact(peer.name + ": relógio", clock_in_portuguese(reply.dated->date - bench.clock().wall()));
    }
}

void keep_connections(Setting& setting, Found& found, Family) {
    if (setting.questions.empty()) throw Untold{"não há consulta com que experimentar"};
    found.read({"keep-alive-requests"}, [&] { count_requests(setting, found); });
    wait_idle(setting, found);
}

void look_at_given_statement(Setting& setting, Found& found, Family) {
    // A file that is given is always read, so that these are not among the points of the trial.
    const PointNames points{"statement-separator", "statement-encoding", "statement-money", "statement-count",
                            "statement-columns",   "statement-eol",      "statement-rows"};
    found.read(points, [&] {
        read_statement(look_at_statement(setting.statement, setting.config.provider.estabelecimento), found);
    });
}

}  // namespace gateway::probe
