#include "bench/rig/terminals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace rig {
namespace {

constexpr std::string_view order = R"({"family":"tv","produto":"TV Mensal","valor":4900,"cpf":"529.982.247-25"})";

std::string post(std::string_view target, std::string_view headers, std::string_view body) {
    return fmt::format(
        "POST {} HTTP/1.1\r\nHost: store\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}", target,
        headers, body.size(), body);
}

std::string_view id_transacao_of(std::string_view answer) {
    constexpr std::string_view name = "\"idTransacao\":\"";
    const auto at = answer.find(name);
    if (at == answer.npos) return {};
    const auto begin = at + name.size();
    return answer.substr(begin, answer.find('"', begin) - begin);
}

}  // namespace

class Terminals::Terminal final : public Stream {
  public:
    Terminal(Terminals& store, int port) : Stream(store.poller_, connect_to(port)), store_(store), port_(port) {}

    int port() const { return port_; }

    void sell() {
        ++store_.busy_;
        selling_ = true;
        second_ = false;
        began_ = Clock::now();
        send(store_.first_call());
    }

  private:
    void received(std::string_view message) override {
        const int status = status_of(message);
        if (store_.options_.shape == Shape::two_calls && !second_ && status == 200) {
            second_ = true;
            send(store_.second_call(id_transacao_of(message)));
            return;
        }
        if (status == 200) store_.books_.tell(id_transacao_of(message));
        over(status);
        if (!store_.selling_ || store_.options_.once) return;
        if (store_.options_.per_second > 0)
            store_.idle_.push_back(this);
        else
            sell();
    }
    void ended() override {
        if (selling_) over(0);
        store_.replace(this);
    }
    void over(int status) {
        --store_.busy_;
        selling_ = false;
        auto& measured = store_.measured_;
        if (status != 200) {
            ++measured.others[status];
            return;
        }
        ++measured.sales;
        const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began_).count();
        measured.times_us.push_back(static_cast<std::uint32_t>(took));
    }

    Terminals& store_;
    const int port_;
    bool selling_ = false;
    bool second_ = false;
    Instant began_;
};

Terminals::Terminals(Poller& poller, Books& books, TerminalsOptions options)
    : poller_(poller), books_(books), options_(std::move(options)) {
    std::generate_n(std::back_inserter(terminals_), options_.connections, [this] {
        return std::make_unique<Terminal>(*this, options_.ports.at(terminals_.size() % options_.ports.size()));
    });
}

Terminals::~Terminals() = default;

void Terminals::begin() {
    selling_ = true;
    if (options_.per_second > 0) {
        std::transform(terminals_.begin(), terminals_.end(), std::back_inserter(idle_),
                       [](const auto& terminal) { return terminal.get(); });
        next_tick_ = Clock::now();
        tick();
    } else {
        for (const auto& terminal : terminals_)
            terminal->sell();
    }
}

void Terminals::tick() {
    if (!selling_) return;
    if (idle_.empty()) {
        ++skipped_;
    } else {
        auto* const terminal = idle_.back();
        idle_.pop_back();
        terminal->sell();
    }
    next_tick_ += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / options_.per_second));
    poller_.at(next_tick_, [this] { tick(); });
}

// A terminal that lost its connection makes another one after this turn.
void Terminals::replace(const Terminal* gone) {
    std::erase(idle_, gone);
    poller_.at(Clock::now(), [this, gone] {
        const auto place =
            std::find_if(terminals_.begin(), terminals_.end(), [gone](const auto& one) { return one.get() == gone; });
        *place = std::make_unique<Terminal>(*this, (*place)->port());
        if (!selling_ || options_.once) return;
        if (options_.per_second > 0)
            idle_.push_back(place->get());
        else
            (*place)->sell();
    });
}

std::string Terminals::first_call() {
    if (options_.shape == Shape::two_calls) {
        const auto body = fmt::format(
            R"({{"estabelecimento":"12345678","idExterno":"{}-{:016}","produto":"TV Mensal","tipoProduto":"ONLINE",)"
            R"("dataHoraCliente":"2026-05-02T13:11:11.480Z","cpf":"529.982.247-25","valor":"4900"}})",
            options_.name, next_number_++);
        return post("/venda/tv/solicitar", "Accept: application/json\r\nAuthorization: Bearer token\r\n", body);
    }
    auto headers = fmt::format("Authorization: Bearer {}\r\nIdempotency-Key: {}\r\n", options_.key, next_key());
    if (options_.wait_s > 0) headers += fmt::format("Prefer: wait={}\r\n", options_.wait_s);
    return post("/v1/sell", headers, order);
}

std::string Terminals::next_key() {
    const auto number = next_number_++;
    if (!options_.spread) return fmt::format("{}-{}", options_.name, number);
    // No two numbers of 64 bits have the same product with an odd factor.
    return fmt::format("{:016x}-{}", number * 0x9e3779b97f4a7c15U, options_.name);
}

std::string Terminals::second_call(std::string_view id_transacao) const {
    const auto body = fmt::format(R"({{"estabelecimento":"12345678","idTransacao":"{}","produto":"TV Mensal",)"
                                  R"("dataHoraCliente":"2026-05-02T13:11:11.500Z"}})",
                                  id_transacao);
    return post("/venda/tv/confirmar", "Accept: application/json\r\nAuthorization: Bearer token\r\n", body);
}

}  // namespace rig
