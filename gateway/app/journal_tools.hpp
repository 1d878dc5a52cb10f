// Runs the operators' commands that work on the journal itself, whether or not a gateway runs on it. Each prints what
// it has to say, and returns the exit code that says how it went. What goes wrong at the journal is thrown, in words.
#pragma once

#include "base/language.hpp"
#include "config/config.hpp"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace gateway {

// Says what is wrong with a configuration, each on a line of its own: `before`, its kind, and what it is. The kind is
// marked with told().
void print(std::ostream& out, std::string_view kind, const std::vector<ConfigProblem>& problems, std::string_view path,
           Language language = Language::english, std::string_view before = {});

int back_up_journal(const std::string& config, const std::string& file, Language language);
// Asks with `confirmed` before a copy without sales takes the place of sales, or of what cannot be told. Where there is
// nobody to ask, nothing is done then, unless it is `wanted`.
int restore_journal(const std::string& config, const std::string& file, bool wanted,
                    const std::function<bool(const std::string&)>& confirmed, Language language);
// Asks with `confirmed` before anything is done, where there is a person to ask.
int mark_journal_restored(const std::string& config, const std::function<bool(const std::string&)>& confirmed,
                          Language language);
int list_attention(const std::string& config, bool as_json, Language language);
int list_gateways(const std::string& config, bool as_json, Language language);
// Says in words who works on the journal now; empty where nobody does, or there is no journal yet.
std::string gateway_on_journal(const JournalConfig& journal);
// Takes the operator's word that one of them will not return: the sales that wait for it go on.
int let_go_of_gateway(const std::string& config, const std::string& name, Language language);

}  // namespace gateway
