// Tells how the gateway is, to the monitoring, the service manager and the tills alike: whether it can take sales
// itself, and which service of the provider is away meanwhile.
#pragma once

#include "api/openapi/written.hpp"
#include "flow/attention_list.hpp"
#include "flow/host_check.hpp"
#include "flow/seller.hpp"
#include "http/server/certificate_watch.hpp"
#include "journal/journal.hpp"
#include "provider/provider.hpp"
#include "provider/token_keeper.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/object.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway {

// Says what keeps the gateway itself from taking sales.
struct Hindrance {
    enum class Kind { journal, database, no_token, starting, stopping };
    Kind kind;
    std::string sentence{};           // says it to the operator
    std::optional<WallTime> since{};  // where that is known
};

class Health {
  public:
    using CertificateTroubles = std::function<std::vector<http::CertificateTrouble>()>;
    using Concerns = std::function<std::vector<HostCheck::Concern>()>;

    // Every reference must outlive this object, and so must what the two functions use. `certificates` returns what is
    // wrong with those that callers are shown, and `of_configuration` what is not in force of the configuration's file.
    Health(const Seller& seller, const Journal& journal, Provider& provider, TokenKeeper& tokens, HostCheck& host,
           CertificateTroubles certificates, Concerns of_configuration)
        : seller_(seller),
          journal_(journal),
          provider_(provider),
          tokens_(tokens),
          host_(host),
          certificates_(std::move(certificates)),
          of_configuration_(std::move(of_configuration)) {}

    // Notes that recovery is under way, and that it is known what was open. Before that the gateway is not ready.
    void set_recovered() { recovered_ = true; }
    // Looks at the machine, and learns whether the provider can be reached, where that was not seen lately. Sends
    // nothing, and returns within a second.
    boost::asio::awaitable<void> look() {
        host_.look();
        return provider_.look();
    }

    // Waits for the first token, at most until then. Returns whether it has come meanwhile.
    boost::asio::awaitable<bool> first_token(Instant until) {
        if (tokens_.had_token()) co_return false;
        co_return (co_await tokens_.get(until)).has_value();
    }

    // Says why no sale can be taken now, where nothing of the provider is to blame; empty: the gateway is ready.
    std::vector<Hindrance> hindrances() const;
    // Returns what cannot be reached.
    std::vector<std::reference_wrapper<const Reachability>> away() const;
    // Returns the one of these without which no sale can be made now; null where there is none. While a token is valid
    // the token service is not needed, and a provider that may be tried is in nobody's way.
    const Reachability* in_the_way() const;
    // Returns whether a caller that gets through can sell.
    bool sells() const { return hindrances().empty() && in_the_way() == nullptr; }
    // Returns what is wrong with the certificates that callers are shown.
    std::vector<http::CertificateTrouble> certificates() const { return certificates_(); }
    // Returns how long each flush of the journal's disk has taken since the start; nothing where the journal is a
    // database.
    std::optional<Histogram> flush_times() const { return journal_.stats().flush_times; }
    // Returns what speaks against the provider's address, unless an outage says so already.
    std::optional<Provider::AddressDoubt> address_doubt() const {
        return provider().outage() ? std::nullopt : provider_.address_doubt();
    }
    const Reachability& provider() const { return provider_.reachability(); }
    const Reachability& token_service() const { return tokens_.reachability(); }
    // Returns when the last token ended; nothing while there is one.
    std::optional<WallTime> token_ended_at() const { return tokens_.ended_at(); }
    // Returns the check of the machine's clock and disk.
    const HostCheck& host() const { return host_; }
    // Returns what needs care and keeps no sale from being made yet: at the machine, and in the configuration's file.
    std::vector<HostCheck::Concern> concerns() const;
    // Returns whether this trouble keeps those tills from selling that look at certificates.
    bool keeps_tills_out(const http::CertificateTrouble& trouble) const;

  private:
    const Seller& seller_;
    const Journal& journal_;
    Provider& provider_;
    TokenKeeper& tokens_;
    HostCheck& host_;
    const CertificateTroubles certificates_;
    const Concerns of_configuration_;
    bool recovered_ = false;
};

// Tells how a service is, as every status does: Service in the documents.
struct ToldService {
    explicit ToldService(const Reachability& service)
        : is(service), failure(service.outage() ? std::nullopt : service.last_failure()) {}

    const Reachability& is;
    std::optional<Reachability::Failure> failure;  // a failure that no outage tells of
};
openapi::Part<ToldService> in_part(const ToldService& service);
// Tells which families can be sold: SoldFamilies in the documents.
template <class Sells>
boost::json::object sold_families(Sells sells) {
    boost::json::object families;
    for (const auto family : all_families)
        families[to_string(family)] = sells(family);
    return families;
}
// Returns, of a service that is away, for example "the provider cannot be used since 14:03 (12 sales refused):
// connection refused".
std::string in_words(const Reachability& away);
// Returns, for example, "no answer since 14:03 shows that provider.base_url leads to the provider (it answers 404): is
// its path right?".
std::string in_words(const Provider::AddressDoubt& doubt);
// Returns what `systemctl status` shows: whether sales are taken, why not, and how many need a person.
std::string in_words(const Health& health, const AttentionList& attention);

// Tells what cannot be reached, what is wrong with a certificate, or what needs care at the machine or in the
// configuration's file: Degraded in the documents.
struct Degradation {
    std::string_view what;
    WallTime since;
    std::string sentence;
    std::optional<Reachability::Outage> outage{};
    std::optional<http::CertificateTrouble> certificate{};
};
std::vector<Degradation> degradations(const Health& health);
openapi::Parts<Degradation> in_parts(const std::vector<Degradation>& all);

// Tells of the journal's disk: JournalDisk in the documents. What is not known is left out.
struct ToldDisk {
    struct FlushTimes {
        double p50_ms;
        double p99_ms;
    };
    std::optional<FlushTimes> flush_times;
    std::optional<DiskRoom> room;
};
// Returns nothing where nothing of the disk is known.
std::optional<ToldDisk> told_disk(const Health& health);
openapi::Part<ToldDisk> in_part(const std::optional<ToldDisk>& disk);

}  // namespace gateway
