#include "probe/peer_look.hpp"

#include "base/digest.hpp"
#include "net/certificate.hpp"
#include "net/deadlines.hpp"
#include "net/stream.hpp"

#include <boost/lexical_cast.hpp>
#include <fmt/format.h>
#include <openssl/x509.h>

#include <array>

namespace gateway::probe {
namespace {

using boost::asio::awaitable;

// Look-up, connection and handshakes may take so long.
constexpr Duration look_within{10'000};
// A gateway speaks these versions of TLS: TlsClient's.
struct TlsVersion {
    int number;
    std::string_view name;
};
constexpr std::array tls_versions{TlsVersion{TLS1_2_VERSION, "TLSv1.2"}, TlsVersion{TLS1_3_VERSION, "TLSv1.3"}};

// This connection is given up when its time is over.
struct Line {
    Line(boost::asio::any_io_executor executor, std::shared_ptr<Deadlines> d)
        : deadlines(std::move(d)), stream(executor), deadline(*deadlines, [this] { stream.close(); }) {}

    std::shared_ptr<Deadlines> deadlines;
    http::TlsMemory memory;
    Stream stream;
    Deadline deadline;
};

std::string name_of(X509_NAME* name) {
    std::array<char, 256> text{};
    X509_NAME_oneline(name, text.data(), static_cast<int>(text.size()));
    return text.data();
}

std::string pin_of(X509* certificate) {
    unsigned char* der = nullptr;
    const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
    if (size <= 0) return {};
    auto digest = sha256_hex({reinterpret_cast<const char*>(der), static_cast<std::size_t>(size)});
    OPENSSL_free(der);
    return digest;
}

void read_tls(SSL* tls, PeerFacts& facts) {
    facts.tls = fmt::format("{}, {}", SSL_get_version(tls), SSL_get_cipher_name(tls));
    const auto* chain = SSL_get0_verified_chain(tls);
    for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i) {
        auto* certificate = sk_X509_value(chain, i);
        facts.chain.push_back(
            {name_of(X509_get_subject_name(certificate)), end_of_certificate(certificate), pin_of(certificate)});
    }
}

// Connects, and shakes hands where the peer speaks TLS, with this version alone where one is named. Returns what went
// wrong, in words.
awaitable<std::string> connect(Line& line, const Peer& peer, const http::Addresses::Endpoint& where, int version = 0) {
    if (const auto error = line.stream.open(where)) co_return error.message();
    const auto [error] = co_await line.stream.connect(where);
    if (error) co_return error.message();
    if (!peer.origin.tls) co_return std::string();
    auto tls = peer.tls->open(peer.origin.host, line.memory);
    if (version != 0) {
        SSL_set_min_proto_version(tls.get(), version);
        SSL_set_max_proto_version(tls.get(), version);
    }
    line.stream.secure(std::move(tls));
    while (true) {
        const auto step = line.stream.handshake();
        if (step.outcome == Stream::Outcome::done) co_return std::string();
        if (!waits(step.outcome)) co_return http::handshake_failure(line.stream.tls());
        co_await line.stream.wait(step.outcome);
    }
}

awaitable<void> try_versions(const Peer& peer, const http::Addresses::Endpoint& where,
                             const std::shared_ptr<Deadlines>& deadlines, Instant end,
                             boost::asio::any_io_executor executor, PeerFacts& facts) {
    for (const auto& version : tls_versions) {
        Line line(executor, deadlines);
        line.deadline.set(end);
        auto connecting = connect(line, peer, where, version.number);
        const bool takes = (co_await std::move(connecting)).empty();
        // A peer that says nothing at all may be away: a refusal is an alert.
        if (takes || line.stream.heard()) (takes ? facts.tls_taken : facts.tls_refused).emplace_back(version.name);
        line.deadline.clear();
        line.stream.close();
    }
}

}  // namespace

awaitable<PeerFacts> look_at_peer(boost::asio::any_io_executor executor, const Peer& peer, Clock& clock) {
    PeerFacts facts;
    const auto addresses =
        std::make_shared<http::Addresses>(executor, peer.origin.host, peer.origin.port, clock,
                                          http::system_look_up(executor, peer.origin.host, peer.origin.port));
    const auto end = clock.now() + look_within;
    auto looking = addresses->get(end);
    const auto found = co_await std::move(looking);
    addresses->stop();
    if (!found) {
        facts.trouble = "nenhum endereço: " + found.error().message();
        co_return facts;
    }
    for (const auto& one : *found)
        facts.addresses.push_back(boost::lexical_cast<std::string>(one));
    Line line(executor, std::make_shared<Deadlines>(executor, clock));
    line.deadline.set(end);
    auto connecting = connect(line, peer, found->front());
    facts.trouble = co_await std::move(connecting);
    if (facts.trouble.empty() && peer.origin.tls) read_tls(line.stream.tls(), facts);
    line.deadline.clear();
    line.stream.close();
    if (!facts.tls.empty()) {
        auto trying = try_versions(peer, found->front(), line.deadlines, end, executor, facts);
        co_await std::move(trying);
    }
    line.deadlines->stop();
    co_return facts;
}

}  // namespace gateway::probe
