#include "sandbox/routes.hpp"

#include <gtest/gtest.h>

namespace gateway::sandbox {
namespace {

// Returns what the request line leads to, in words: "tv consulta 1 TV Livre", "wrong method", "nothing".
std::string find(std::string_view method, std::string_view target, const Options& options = {}) {
    const auto path = path_segments(target);
    const auto found = path ? find_route(method, *path, options) : NoRoute::not_found;
    if (const auto* why = std::get_if<NoRoute>(&found)) return *why == NoRoute::not_found ? "nothing" : "wrong method";
    const auto& route = std::get<Route>(found);
    auto text = std::string(route.family ? to_string(*route.family) : "no family") + " ";
    text += to_string(route.step);
    for (const auto* part : {&route.segment, &route.estabelecimento, &route.produto, &route.numeroCartao,
                             &route.idExterno, &route.idTransacao})
        if (!part->empty()) text += " " + *part;
    return text;
}

struct Row {
    const char* method;
    const char* target;
    const char* found;
};

TEST(Routes, EveryAddressOfTheInterfaceLeadsToItsOperationAndNoOtherDoes) {
    constexpr std::array rows{
        Row{"POST", "/authorization/token", "no family token"},
        Row{"GET", "/venda/tv/consulta-dinamica/1%202/TV%20Livre", "tv consulta 1 2 TV Livre"},
        Row{"POST", "/venda/tv/solicitar", "tv solicitar"},
        Row{"POST", "/venda/tv/confirmar", "tv confirmar"},
        Row{"POST", "/venda/tv/cancelar", "tv cancelar"},
        Row{"GET", "/venda/egift/consulta-dinamica/1/Jogos", "egift consulta 1 Jogos"},
        Row{"POST", "/venda/egift/solicitar", "egift solicitar"},
        Row{"POST", "/venda/egift/confirmar", "egift confirmar"},
        Row{"POST", "/venda/voucher/cancelar", "egift cancelar"},
        Row{"GET", "/venda/transporte/x/consulta-valores/1/x/99", "transit consulta x 1 99"},
        Row{"POST", "/venda/transporte/x/solicitar", "transit solicitar x"},
        Row{"POST", "/venda/transporte/x/confirmar", "transit confirmar x"},
        Row{"POST", "/venda/transporte/x/cancelar", "transit cancelar x"},
        Row{"GET", "/venda/consulta/1/Consulta/valores", "health consulta consulta 1 Consulta"},
        Row{"POST", "/venda/consulta/solicitar", "health solicitar consulta"},
        Row{"POST", "/venda/consulta/confirmar", "health confirmar consulta"},
        Row{"GET", "/venda/esim/consulta-planos/1/Chip", "esim consulta 1 Chip"},
        Row{"POST", "/venda/esim/solicitar", "esim solicitar"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(find(row.method, row.target), row.found);
        EXPECT_EQ(find(row.method, std::string(row.target) + "?x=1"), row.found);
        EXPECT_EQ(find("DELETE", row.target), "wrong method") << row.target;
        EXPECT_EQ(find(row.method, std::string(row.target) + "/more"), "nothing") << row.target;
    }
    for (const auto* target : {"*", "/", "/venda/transporte/op/consulta-valores/1/other/99", "/venda/egift/cancelar",
                               "/venda/esim/confirmar", "/venda/esim/cancelar", "/venda/consulta/cancelar",
                               "/venda/tv/consulta-dinamica//x", "/venda/tv/%zz"})
        for (const auto* method : {"GET", "POST"})
            EXPECT_EQ(find(method, target), "nothing") << target;
}

TEST(Routes, ThePersonalityHasAddressesOfItsOwn) {
    Options options;
    options.health_cancel_path = "/venda/{health}/cancelar";
    options.status_path = "/venda/transacao/id/{idTransacao}";
    EXPECT_EQ(find("POST", "/venda/consulta/cancelar", options), "health cancelar consulta");
    EXPECT_EQ(find("POST", "/venda/esim/cancelar", options), "nothing");
    EXPECT_EQ(find("GET", "/venda/transacao/id/T", options), "no family status T");
    EXPECT_EQ(find("POST", "/venda/transacao/id/T", options), "nothing");
}

}  // namespace
}  // namespace gateway::sandbox
