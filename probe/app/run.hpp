// Puts the probe together, from the configuration and the command line to the files that it leaves.
#pragma once

#include "probe/trials.hpp"

#include <functional>
#include <string>

namespace gateway {

struct ProbeArguments {
    std::string config;
    probe::Arguments trials;
    std::string folder = "homologacao";
    bool revisit = false;
    std::string card;
    std::string cpf;
    std::string consumidor_file;
    std::string statement_file;
};

// The program ends with one of these.
enum class ProbeEnd {
    consistent = 0,  // all that was looked for is answered, and fits
    questions = 1,   // something contradicts the configuration, or was not answered
    failed = 2,      // it could not run, or not to its end
};

// `confirmed` asks a person, who types the answer; it is always asked before anything is sold.
ProbeEnd run_probe(const ProbeArguments& arguments, const std::string& version, bool on_terminal,
                   const std::function<bool(const std::string& question)>& confirmed);

}  // namespace gateway
