#include "commands/usage.hpp"

#include "commands/commands.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace gateway::test {
namespace {

// Returns what is said about the command line, by a program with one command or by one without.
std::string said_of(std::vector<std::string> words, bool has_command, Language language = Language::english) {
    CLI::App app("", "program");
    app.add_flag("--family");
    if (has_command) app.add_subcommand("status")->add_flag("--json");
    std::ranges::reverse(words);
    const std::stringstream kept;
    auto* const before = std::cerr.rdbuf(kept.rdbuf());
    try {
        app.parse(words);
    } catch (const CLI::ParseError& error) {
        EXPECT_EQ(wrong_command_line(app, error, language), exit_usage);
    }
    std::cerr.rdbuf(before);
    return kept.str().substr(0, kept.str().find('\n'));
}

TEST(Usage, AMistypedWordIsAnsweredWithTheOneThatWasMeant) {
    EXPECT_EQ(said_of({"staus"}, true), "error: staus is no command; did you mean \"status\"?");
    EXPECT_EQ(said_of({"status", "--jsn"}, true), "error: --jsn was not expected; did you mean \"--json\"?");
    EXPECT_EQ(said_of({"--famly"}, false), "error: --famly was not expected; did you mean \"--family\"?");
}

TEST(Usage, WhoAsksForPortugueseIsToldSoWhatIsWrong) {
    EXPECT_EQ(said_of({"staus"}, true, Language::portuguese),
              "erro: staus não é um comando; você quis dizer \"status\"?");
    EXPECT_EQ(said_of({"--famly"}, false, Language::portuguese),
              "erro: --famly não era esperado; você quis dizer \"--family\"?");
}

TEST(Usage, TheHelpIsToldWithWhatTheLibrarySaysItself) {
    CLI::App app("List sales, newest first", "program");
    std::string key;
    app.add_option("--key", key, "Of this Idempotency-Key")->type_name("KEY")->required();
    tell(app, Language::portuguese);
    EXPECT_EQ(app.help(),
              "Lista as vendas, as mais novas primeiro\n"
              "Uso: program [OPÇÕES]\n"
              "\n"
              "Opções:\n"
              "  -h,--help                   Mostra esta ajuda e termina\n"
              "  --key CHAVE OBRIGATÓRIO     As desta Idempotency-Key\n"
              "\n");
}

TEST(Usage, AProgramWithoutCommandsTakesNoWordForOne) {
    EXPECT_EQ(said_of({"staus"}, false), "error: staus was not expected");
}

}  // namespace
}  // namespace gateway::test
