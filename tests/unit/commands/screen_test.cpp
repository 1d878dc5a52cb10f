#include "commands/screen.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace gateway::test {
namespace {

// Sets a variable of the environment, for as long as the object lives.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
    ~Variable() { ::unsetenv(name_); }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

  private:
    const char* name_;
};

TEST(Screen, TheEnvironmentSaysHowWideItIs) {
    {
        const Variable columns("COLUMNS", "90");
        EXPECT_EQ(screen_of_standard_output().columns, 90U);
    }
    const Variable columns("COLUMNS", "3");
    EXPECT_EQ(screen_of_standard_output().columns, 40U) << "nothing can be read in less";
}

TEST(Screen, TheEnvironmentSaysWhichLanguageItIs) {
    const Variable no_language("LANGUAGE", "");  // whatever the machine says
    const Variable no_all("LC_ALL", "");
    const Variable no_messages("LC_MESSAGES", "");
    const Variable lang("LANG", "pt_BR.UTF-8");
    EXPECT_EQ(language_of_environment(), Language::portuguese);
    const Variable messages("LC_MESSAGES", "en_US.UTF-8");
    EXPECT_EQ(language_of_environment(), Language::english);
    const Variable all("LC_ALL", "pt");
    EXPECT_EQ(language_of_environment(), Language::portuguese);
    const Variable none("LC_ALL", "C");
    EXPECT_EQ(language_of_environment(), Language::english);
    const Variable wanted("LANGUAGE", "pt_BR:en");
    EXPECT_EQ(language_of_environment(), Language::english) << "C is for programs";
    const Variable american("LC_ALL", "en_US.UTF-8");
    EXPECT_EQ(language_of_environment(), Language::portuguese);
}

TEST(Screen, WhoCalledSudoIsTheOperator) {
    {
        const Variable user("SUDO_USER", "maria");
        EXPECT_EQ(operator_name(), "maria");
    }
    EXPECT_NE(operator_name(), "maria");
}

}  // namespace
}  // namespace gateway::test
