// Reads from a copy of the disk, by SQL, what the journal says about days, closes and statements. Like JournalView, it
// knows the tables and not the gateway's own code for them. Days are texts here ("2024-05-02"), as they are there.
#pragma once

#include "simulation/disk.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gateway::simulation {

struct BooksView {
    struct Attempt {
        std::string id_externo;
        std::string state;
        std::string id_transacao;
        std::int64_t created_at = 0;  // milliseconds since 1970
        bool confirmed = false;
    };
    struct Sale {
        std::string id;
        std::string estabelecimento;
        std::string family;
        std::int64_t valor = 0;
        std::string status;
        bool settled = false;
        std::string day;
        std::string late_day;
        std::vector<Attempt> attempts{};

        bool final() const { return status == "EFETIVADA" || status == "CANCELADA" || status == "NEGADA"; }
        // Returns the day whose close has the sale, or will have it.
        const std::string& close_day() const { return late_day.empty() ? day : late_day; }
    };
    struct Close {
        std::string estabelecimento;
        int series = 0;
        int number = 0;
        std::string day;
        std::string made_at;
        std::string made_by;
        std::string open;    // JSON
        std::string totals;  // JSON; empty: the close is not summed up
        std::string digest;
        friend bool operator==(const Close&, const Close&) = default;
    };
    struct Statement {
        std::int64_t id = 0;
        std::string day;
        std::string digest;
        std::int64_t findings = 0;
        friend bool operator==(const Statement&, const Statement&) = default;
    };
    struct Finding {
        std::int64_t number = 0;
        std::int64_t statement = 0;
        std::string day;
        std::string kind;
        std::string sale;
        std::string id_externo;
        std::string our_valor;
        std::string their_valor;
        bool pending = false;
        std::string effect;
        std::string opened_at;
        std::string closed_as;
        friend bool operator==(const Finding&, const Finding&) = default;
    };
    std::map<std::string, Sale> sales;  // by id
    std::vector<Close> closes;          // by number
    std::vector<Statement> statements;
    std::vector<Finding> findings;
    std::string trouble;  // in words, where the journal cannot be read

    // Returns the close of a day; null: the day is not closed.
    const Close* close_of(const std::string& estabelecimento, const std::string& day) const;
    const Sale* sale_of(const std::string& id_externo) const;
    const Attempt* attempt(const std::string& id_externo) const;
};

class SqlReader;
BooksView read_books(SqlReader& reader);
BooksView read_books(Disk disk);

}  // namespace gateway::simulation
