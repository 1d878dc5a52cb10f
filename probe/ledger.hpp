// The ledger knows what a probe asked the provider for, and what became of it. Its lines are on the disk before the
// request leaves. Whatever ends a probe, the next run on the same folder knows what may be open, and takes it back.
// The folder is locked for as long as the ledger lives.
#pragma once

#include "base/clock.hpp"
#include "probe/records.hpp"
#include "sale/sale.hpp"

#include <boost/json/object.hpp>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::probe {

// This is a sale that was asked for, by its idExterno, which need not be one of the gateway's own kind.
struct Entry {
    std::string id;
    Family family{};
    std::string segment;
    std::string estabelecimento;
    std::string produto;
    Cents valor;
    std::string id_transacao;
    WallTime asked{};         // the latest request
    int requests = 0;         // so many requests may each have become a sale
    bool authorised = false;  // the provider has said so: it is known there
    bool cancelled = false;   // the provider has said so, and nothing else since
    bool open = false;        // it may be: nothing has said yet that it is not
    bool sold = false;        // the provider has said so
    bool left_open = false;   // on purpose, to see when the provider ends it
    std::string last;         // the last word about it, for people: "AUTORIZADA", "no answer came"
};

using FileHandle = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

class Ledger {
  public:
    // Throws Failed if it cannot be used, or another probe works in the folder.
    Ledger(const std::string& folder, const Clock& clock);

    // Notes a request before it leaves. Returns false if the line could not be written to the disk: the request must
    // not leave then, and the ledger does not count it.
    bool asking(const Entry& sale);
    // The functions below write to the disk, too, but need not succeed: a sale of which the disk does not tell that it
    // is over is taken back once more.
    void authorised(const std::string& id, std::string_view id_transacao) { note("authorised", id, id_transacao); }
    // Notes the provider's last word. The sale may be open all the same.
    void said(const std::string& id, std::string_view last) { note("said", id, last); }
    // Notes that the latest request became no sale.
    void refused(const std::string& id) { note("refused", id); }
    void closed(const std::string& id, std::string_view last) { note("closed", id, last); }
    // Notes that the provider has said something else since.
    void reopened(const std::string& id, std::string_view last) { note("reopened", id, last); }
    // Notes that the provider did not tell whether the sale is still CANCELADA.
    void unsure(const std::string& id, std::string_view last) { note("unsure", id, last); }
    void left_open(const std::string& id) { note("left_open", id); }
    // Notes that the sale is no longer left open on purpose.
    void taken_up(const std::string& id) { note("taken_up", id); }

    // Both lists are in the order in which the sales were asked for. A sale is sold if the provider has said EFETIVADA
    // of it.
    std::vector<Entry> open_sales() const { return those(&Entry::open); }
    std::vector<Entry> sold_sales() const { return those(&Entry::sold); }
    std::optional<Entry> find(std::string_view id) const;
    std::size_t asked() const noexcept { return entries_.size(); }
    const std::string& fault() const noexcept { return file_.fault(); }

  private:
    bool write(boost::json::object& line);
    void note(std::string_view event, const std::string& id, std::string_view text = {});
    void apply(const boost::json::object& line);
    std::vector<Entry> those(bool Entry::*is) const;

    const FileHandle lock_;
    AppendFile file_;
    const Clock& clock_;
    std::vector<Entry> entries_;  // in the order in which they were asked for
};

// The provider's people speak of a nightly cancel of what is 48 hours old; an hour more lets that night be over.
inline constexpr Duration revisit_after = std::chrono::hours(49);
// Returns when all that were left open on purpose can be asked for; nothing where there are none.
std::optional<WallTime> revisit_time(const std::vector<Entry>& open);

}  // namespace gateway::probe
