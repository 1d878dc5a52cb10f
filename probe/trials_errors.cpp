// The trials with what a gateway would never send: a field that is missing, an amount that is none, a product, a bound,
// an establishment. Each is a sale that should be refused; one that is not is cancelled.
#include "probe/answer_words.hpp"
#include "probe/reply_words.hpp"
#include "probe/trial.hpp"

#include <boost/json/object.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gateway::probe {
namespace {

namespace json = boost::json;
using boost::asio::awaitable;

struct Wrong {
    std::string_view point;
    // What is done to the body; nothing where this cannot be tried with these goods.
    std::optional<Alteration> (*alteration)(const Goods& goods);
    // What is done to the sale instead, where its cancel has to tell the same.
    void (*in_sale)(Sale& sale) = nullptr;
};

std::optional<Alteration> without_product(const Goods&) {
    return [](json::object& body) { body.erase("produto"); };
}

std::optional<Alteration> bad_amount(const Goods& goods) {
    if (!goods.order.fields.contains("valor")) return std::nullopt;
    return [](json::object& body) { body["valor"] = "12,5o"; };
}

std::optional<Alteration> unknown_product(const Goods& goods) {
    // Where the product is told by a code of the catalogue, the name alone is the client's own.
    constexpr std::array<std::string_view, 3> codes{"chaveProduto", "tipoCredito", "produtoIdParceiro"};
    for (const auto code : codes)
        if (goods.order.fields.contains(code)) return [code](json::object& body) { body[code] = "9999"; };
    return [](json::object& body) { body["produto"] = "Produto Inexistente"; };
}

std::optional<Alteration> beyond_bound(const Goods& goods) {
    if (!goods.most || !goods.order.fields.contains("valor")) return std::nullopt;
    const auto least = goods.order.valor.value;
    // A multiple of the unit, so that the bound alone is broken.
    const auto beyond = goods.most->value + std::max<std::int64_t>(least, 1);
    return [beyond](json::object& body) { body["valor"] = std::to_string(beyond); };
}

std::optional<Alteration> nothing_in_the_body(const Goods&) {
    return [](json::object&) {};
}

void wrong_establishment(Sale& sale) {
    std::string other(sale.estabelecimento.size(), '9');
    if (other == sale.estabelecimento) other.back() = '8';
    sale.estabelecimento = other;
}

constexpr std::array wrongs{Wrong{"error-missing-field", without_product}, Wrong{"error-bad-amount", bad_amount},
                            Wrong{"error-unknown-product", unknown_product}, Wrong{"error-beyond-bound", beyond_bound},
                            Wrong{"error-wrong-establishment", nothing_in_the_body, wrong_establishment}};

// The first family with which it can be tried: one whose cancel works, if there is one.
std::optional<Family> family_for(const Setting& setting, const Wrong& wrong) {
    const auto fits = [&](Family family) {
        const auto goods = setting.goods.find(family);
        return goods != setting.goods.end() && wrong.alteration(goods->second).has_value() &&
               why_not_authorised(setting, family).empty();
    };
    const auto families = cancellable_families(setting);
    const auto found = std::ranges::find_if(families, fits);
    return found == families.end() ? std::nullopt : std::optional(*found);
}

awaitable<void> ask_for_wrong(Setting& setting, Found& found, const Wrong& wrong, std::string& shape) {
    const auto family = family_for(setting, wrong);
    if (!family) {
        found.leave(wrong.point, "não há um produto com que se possa experimentar isto e cancelar depois");
        co_return;
    }
    const auto& goods = setting.goods.at(*family);
    auto deal = setting.bench.deal(goods);
    if (wrong.in_sale != nullptr) wrong.in_sale(deal.sale);
    auto asking = setting.bench.solicitar_altered(deal, *wrong.alteration(goods));
    const auto shot = co_await std::move(asking);
    if (!shot.is(Verdict::refused)) co_await setting.bench.take_back(deal);
    if (shot.reply.kind != Reply::Kind::answered) {
        found.leave(wrong.point, shot.reply);
        co_return;
    }
    found.answer(wrong.point, said(shot.reply), fmt::format("visto com {}", family_in_portuguese(*family)));
    const bool bare = shot.reply.status >= 400 && status_word(shot.reply).empty();
    if (shape.empty() && bare && shot.reply.status != 401) shape = error_shape(shot.reply);
}

awaitable<void> ask_for_wrongs(Setting& setting, Found& found) {
    std::string shape;
    for (const auto& wrong : wrongs)
        co_await ask_for_wrong(setting, found, wrong, shape);
    if (shape.empty()) shape = setting.bench.error_shape_seen();
    if (shape.empty())
        found.leave("error-body", "nenhum erro com corpo foi visto");
    else
        found.answer("error-body", shape);
}

}  // namespace

std::vector<Trial> error_trials(const Setting& setting) {
    if (cancellable_families(setting).empty()) return {};
    return {{"Requisições inválidas",
             Level::authorise,
             std::nullopt,
             {"error-missing-field", "error-bad-amount", "error-unknown-product", "error-beyond-bound",
              "error-wrong-establishment", "error-body"},
             ask_for_wrongs}};
}

}  // namespace gateway::probe
