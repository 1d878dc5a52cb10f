#include "probe/ledger.hpp"

#include "base/json_members.hpp"
#include "base/wall_time.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace gateway::probe {
namespace {

namespace json = boost::json;

void apply_asking(Entry& entry, const json::object& line) {
    entry.requests = entry.open ? entry.requests + 1 : 1;
    // What is known of a sale that is over says nothing of the one that this request may make.
    if (!entry.open) {
        entry.id_transacao.clear();
        entry.authorised = entry.cancelled = false;
    }
    entry.id = text_in(line, "idExterno");
    entry.family = parse_family(text_in(line, "family")).value_or(Family::tv);
    entry.segment = text_in(line, "segment");
    entry.estabelecimento = text_in(line, "estabelecimento");
    entry.produto = text_in(line, "produto");
    entry.valor = Cents{number_in(line, "valor").value_or(0)};
    entry.asked = time_in(line, "at").value_or(WallTime{});
    entry.open = true;
    entry.last = "solicitar enviado";
}

// Takes the lock of the folder, which is made where there is none.
FileHandle lock_folder(const std::string& folder) {
    constexpr int owner_only = 0600;
    constexpr int owner_folder = 0700;
    if (::mkdir(folder.c_str(), owner_folder) != 0 && errno != EEXIST) fail_by_errno(folder);
    const auto path = folder + "/lock";
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, owner_only);
    if (descriptor < 0) fail_by_errno(path);
    FileHandle lock(::fdopen(descriptor, "r"), &std::fclose);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) fail_by_errno(path);
    throw Failed(folder + ": another probe works in this folder; let it end first, or name another one with --out");
}

}  // namespace

Ledger::Ledger(const std::string& folder, const Clock& clock)
    : lock_(lock_folder(folder)), file_(folder + "/ledger.jsonl"), clock_(clock) {
    for (const auto& record : file_.take_records())
        apply(record);
}

bool Ledger::write(json::object& line) {
    line["at"] = to_rfc3339(clock_.wall());
    return file_.append(line, AppendFile::Lasting::durable);
}

void Ledger::note(std::string_view event, const std::string& id, std::string_view text) {
    json::object line{{"event", event}, {"idExterno", id}};
    if (!text.empty()) line["text"] = text;
    write(line);
    apply(line);  // true in any case as long as this run lasts
}

bool Ledger::asking(const Entry& sale) {
    json::object line{{"event", "asking"},
                      {"idExterno", sale.id},
                      {"family", to_string(sale.family)},
                      {"segment", sale.segment},
                      {"estabelecimento", sale.estabelecimento},
                      {"produto", sale.produto},
                      {"valor", sale.valor.value}};
    if (!write(line)) return false;
    apply(line);
    return true;
}

void Ledger::apply(const json::object& line) {
    const auto event = text_in(line, "event");
    const auto text = text_in(line, "text");
    auto known = std::ranges::find(entries_, text_in(line, "idExterno"), &Entry::id);
    if (event == "asking" && known == entries_.end()) known = entries_.insert(known, Entry{});
    if (known == entries_.end()) return;
    auto& entry = *known;
    if (event == "asking") {
        apply_asking(entry, line);
    } else if (event == "authorised") {
        if (!text.empty()) entry.id_transacao = text;
        entry.authorised = true;
        entry.cancelled = false;
        entry.last = "AUTORIZADA";
    } else if (event == "said") {
        entry.last = text;
    } else if (event == "refused") {
        if (--entry.requests <= 0) entry.open = false;
    } else if (event == "closed") {
        entry.open = entry.left_open = false;
        entry.cancelled = text == to_string(Status::CANCELADA);
        entry.sold = entry.sold || text == to_string(Status::EFETIVADA);
        entry.last = text;
    } else if (event == "reopened" || event == "unsure") {
        entry.open = true;
        entry.cancelled = entry.cancelled && event == "unsure";
        entry.last = text;
    } else if (event == "left_open" || event == "taken_up") {
        entry.left_open = event == "left_open";
    }
}

std::vector<Entry> Ledger::those(bool Entry::*is) const {
    std::vector<Entry> found;
    std::ranges::copy_if(entries_, std::back_inserter(found), is);
    return found;
}

std::optional<Entry> Ledger::find(std::string_view id) const {
    const auto found = std::ranges::find(entries_, id, &Entry::id);
    return found == entries_.end() ? std::nullopt : std::optional(*found);
}

std::optional<WallTime> revisit_time(const std::vector<Entry>& open) {
    std::optional<WallTime> latest;
    for (const auto& entry : open)
        if (entry.left_open) latest = std::max(latest, std::optional(entry.asked + revisit_after));
    return latest;
}

}  // namespace gateway::probe
