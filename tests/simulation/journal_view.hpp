// Reads the journal by SQL from a copy of the disk: what a power cut at this moment would leave for the next process.
// It knows the tables, and not the gateway's own code for them.
#pragma once

#include "simulation/disk.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace gateway::simulation {

struct JournalView {
    struct Attempt {
        std::string id_externo;
        std::string state;
        std::string id_transacao;
    };
    struct Sale {
        std::string id;
        std::string terminal;
        std::string key;
        std::string family;
        std::string status;
        bool settled = false;
        std::string attention;
        std::string goods;
        std::string esim;
        std::vector<Attempt> attempts;

        bool final() const { return status == "EFETIVADA" || status == "CANCELADA" || status == "NEGADA"; }
    };
    std::map<std::string, Sale> sales;              // by id
    std::map<std::string, std::string> by_attempt;  // idExterno to sale
    std::map<std::pair<std::string, std::string>, std::string> by_key;
    std::set<std::string> callbacks;  // bodies, as they came
    std::string trouble;              // in words, where the journal cannot be read

    const Sale* with_key(const std::string& terminal, const std::string& key) const;
};

class SqlReader;
JournalView read_journal(SqlReader& reader);
JournalView read_journal(Disk disk);

}  // namespace gateway::simulation
