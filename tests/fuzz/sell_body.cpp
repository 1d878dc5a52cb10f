// A terminal sends this: it is refused with a pointer to the field, or is something that can be sold. The first byte is
// the family.
#include "base/strict_json.hpp"
#include "fuzz/fuzz.hpp"

using namespace gateway;

namespace {

bool has_fraction(const boost::json::value& value) {
    const auto any = [](const auto& values, auto member) { return std::ranges::any_of(values, has_fraction, member); };
    if (const auto* object = value.if_object())
        return any(*object, [](const auto& pair) -> const boost::json::value& { return pair.value(); });
    if (const auto* array = value.if_array()) return any(*array, std::identity{});
    return value.is_double();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Input input(data, size);
    const auto family = input.family();
    auto parsed = parse_strict_json(input.rest());
    if (!parsed) {
        CHECK(!parsed.error().empty());
        return 0;
    }
    const auto canonical = canonical_json(*parsed);
    const auto again = parse_strict_json(canonical);
    // A number with a fraction or an exponent may change when it is written and read again; no sell has one.
    CHECK(has_fraction(*parsed) || (again && canonical_json(*again) == canonical));
    if (!parsed->is_object()) return 0;
    Order order;
    order.family = family;
    order.produto = "Produto";
    FieldErrors errors;
    rules_of(family).read(parsed->get_object(), order, errors);
    for (const auto& error : errors)
        CHECK(error.pointer.starts_with('/') && !error.detail.empty());
    if (errors.empty()) fuzz::expect_sellable(order);
    return 0;
}
