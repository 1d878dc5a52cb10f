#include "api/openapi/shared.hpp"

namespace gateway::openapi {
namespace {

// Every sell takes these besides.
constexpr Field all_sell_fields[] = {
    maybe({"estabelecimento", a("Estabelecimento")}),
    maybe({"cashier", a("Cashier")}),
    maybe({"repeat", a("Repeat")}),
    maybe({"confirm", a("Confirm")}),
};

constexpr Field tv_priced_sell_fields[] = {
    {"family", Type{R"("const":"tv")"}},
    {"produto", a("Produto")},
    {"valor", a("Cents")},
    {"cpf", cpf_text, "Eleven digits, formatted or not."},
    maybe({"fornecedor", field_text, "The supplier."}),
};

constexpr Field tv_dynamic_sell_fields[] = {
    {"family", Type{R"("const":"tv")"}},
    {"produto", a("Produto")},
    {"id_valor",
     Type{R"("type":"string","maxLength":250,"pattern":"^[^;\\u0000-\\u001F\\u007F-\\u009F]+;0*[1-9][0-9]{0,7}$")"},
     "`<id>;<cents>` from the options."},
    maybe({"fornecedor", field_text, "The supplier."}),
};

constexpr Field egift_sell_fields[] = {
    {"family", Type{R"("const":"egift")"}},
    {"produto", a("Produto")},
    {"fornecedor", field_text, "The supplier."},
    {"valor", a("Cents")},
    {"tipoNegocio", int32},
    {"chaveProduto", field_text, "From the options."},
    {"configuracaoId", field_text, "From the options."},
    maybe({"nomeMenu", field_text, "Finds the catalogue entry, whose bounds are then checked; not sent on."}),
};

constexpr Field transit_sell_fields[] = {
    {"family", Type{R"("const":"transit")"}},
    {"produto", a("Produto")},
    {"numeroCartao", field_text, "The card."},
    {"tipoCredito", field_text, "From the options."},
    {"tipoProduto", field_text, "From the options."},
    {"descricao", field_text, "From the options."},
    {"valor", a("Cents")},
    maybe(
        {"quantidade",
         Type{
             R"("oneOf":[{"type":"integer","minimum":1,"maximum":9999},{"type":"string","pattern":"^0*[1-9][0-9]{0,3}$",)"
             R"("maxLength":15}],"default":1)"},
         "How many units `valor` pays for. Checked, not sent on."}),
    maybe({"transit", path_segment, "The operator's path segment. Default: `produto` in lower case."}),
};

constexpr Field health_sell_fields[] = {
    {"family", Type{R"("const":"health")"}},
    {"produto", a("Produto")},
    {"produtoIdParceiro", field_text, "From the options."},
    {"valor", a("Cents")},
    maybe({"health", path_segment, "The partner's path segment. Default: `produto` in lower case."}),
};

constexpr Field endereco_fields[] = {
    {"tipoEnderecoId", natural32},
    {"cep", Type{R"("type":"string","pattern":"^[0-9]{5}-?[0-9]{3}$")"}},
    {"uf", Type{R"("enum":["AC","AL","AM","AP","BA","CE","DF","ES","GO","MA","MG","MS","MT","PA","PB",)"
                R"("PE","PI","PR","RJ","RN","RO","RR","RS","SC","SE","SP","TO"])"}},
    {"cidade", field_text, "City."},
    {"bairro", field_text, "Quarter."},
    {"tipoLogradouroId", natural32},
    {"logradouro", field_text, "Street."},
    {"numeroLogradouro", natural32},
    maybe({"complemento", Type{R"("type":"string","maxLength":250,"pattern":"^[^\\u0000-\\u001F\\u007F-\\u009F]*$")"},
           "May be empty or absent."}),
};

constexpr Field consumidor_fields[] = {
    {"cpf", cpf_text, "With right check digits, formatted or not."},
    {"nome", field_text, "Name."},
    {"email", Type{R"("type":"string","maxLength":254,"pattern":"^[^@ ]{1,64}@[^@ .][^@ ]*\\.[^@ ]+$")"}},
    {"nascimento",
     Type{R"("type":"string","pattern":"^(0[1-9]|[12][0-9]|3[01])(0[1-9]|1[0-2])(19[0-9]{2}|20[0-9]{2}|2100)$")"},
     "Date of birth as DDMMYYYY."},
    {"telefone", Type{R"("type":"integer","minimum":10000000,"maximum":999999999999999)"},
     "Eight to fifteen digits: does not fit in 32 bits."},
    maybe({"endereco", a("Endereco"), "Where it is not the sale's."}),
};

constexpr Field esim_sell_fields[] = {
    {"family", Type{R"("const":"esim")"}},
    {"produto", a("Produto")},
    {"consumidor", a("Consumidor")},
    {"endereco", a("Endereco")},
    {"servicoId", field_text, "From the options."},
    {"valorRecarga", cents_or_none, "Cents that are recharged with the plan; 0 for none."},
    {"valor", a("Cents")},
    maybe({"estabelecimento", a("Estabelecimento")}),
    maybe({"cashier", a("Cashier")}),
    maybe({"repeat", a("Repeat")}),
    maybe({"confirm", Type{R"("const":"auto")"}, "An eSIM sale has no confirm step."}),
};

constexpr Field not_sold_fields[] = {
    {"outcome", Type{R"("const":"not_sold")"}, "", R"("not_sold")"},
};

constexpr Schema all_order_schemas[] = {
    {.name = "Produto",
     .description = "The product, in the provider's words.",
     .type = field_text,
     .example = "Bilhete"},
    {.name = "Cashier",
     .description = "Who stands at the till. Not sent on.",
     .type = Type{R"("type":"string","minLength":1,"maxLength":64,"pattern":"^[^\\u0000-\\u001F\\u007F-\\u009F]*$")"}},
    {.name = "Estabelecimento",
     .description = "The terminal's own establishment, or the provider section's where it has none. Default: that one.",
     .type = field_text},
    {.name = "Repeat",
     .description = "True sells what may be a duplicate (409 `possible_duplicate`).",
     .type = Type{R"("type":"boolean","default":false)"}},
    {.name = "Confirm",
     .description = "`manual`: the terminal confirms or cancels later (held).",
     .type = Type{R"("enum":["auto","manual"],"default":"auto")"}},
    {.name = "Cents",
     .description = "Cents: a JSON integer or a string of digits.",
     .type = Type{R"("oneOf":[{"type":"integer","minimum":1,"maximum":99999999},{"type":"string",)"
                  R"("pattern":"^0*[1-9][0-9]{0,7}$","maxLength":12}],"examples":[1099,"1099"])"}},
    {.name = "TvPricedSell",
     .description = "A product sold by its amount.",
     .type = object(tv_priced_sell_fields, all_sell_fields)},
    {.name = "TvDynamicSell",
     .description = "The dynamic-price product: an entry of its options, which holds the amount.",
     .type = object(tv_dynamic_sell_fields, all_sell_fields)},
    {.name = "TvSell",
     .description = "Pay-TV recharge: one of the two kinds.",
     .type = either("TvPricedSell", "TvDynamicSell")},
    {.name = "EgiftSell", .description = "Digital gift code.", .type = object(egift_sell_fields, all_sell_fields)},
    {.name = "TransitSell",
     .description = "Public-transit card credit.",
     .type = object(transit_sell_fields, all_sell_fields)},
    {.name = "HealthSell",
     .description = "Health-appointment voucher. `manual` only where the gateway has a `health_cancel_path`.",
     .type = object(health_sell_fields, all_sell_fields)},
    {.name = "Endereco", .type = object(endereco_fields)},
    {.name = "Consumidor", .description = "The customer.", .type = object(consumidor_fields)},
    {.name = "EsimSell",
     .description = "eSIM mobile plan. Its outcome comes by callback: 202 until then.",
     .type = object(esim_sell_fields)},
    {.name = "Sell",
     .description = "One sale. A field that the family does not have is an error, never ignored.",
     .type = Type{R"("oneOf":[{"$ref":"#/components/schemas/TvSell"},{"$ref":"#/components/schemas/EgiftSell"},)"
                  R"({"$ref":"#/components/schemas/TransitSell"},{"$ref":"#/components/schemas/HealthSell"},)"
                  R"({"$ref":"#/components/schemas/EsimSell"}],"discriminator":{"propertyName":"family",)"
                  R"("mapping":{"tv":"#/components/schemas/TvSell","egift":"#/components/schemas/EgiftSell",)"
                  R"("transit":"#/components/schemas/TransitSell","health":"#/components/schemas/HealthSell",)"
                  R"("esim":"#/components/schemas/EsimSell"}})"}},
    {.name = "NoFields",
     .description = "The same as no body, for clients that cannot POST without one.",
     .type = Type{R"("type":"object","maxProperties":0)"}},
    {.name = "NotSold", .description = "A cancelled key that no sale has.", .type = object(not_sold_fields)},
};

}  // namespace

std::span<const Schema> order_schemas() {
    return all_order_schemas;
}

}  // namespace gateway::openapi
