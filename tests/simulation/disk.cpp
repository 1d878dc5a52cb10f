#include "simulation/disk.hpp"

#include "base/check.hpp"
#include "unit/support/log_gap_in.hpp"

#include <algorithm>
#include <stdexcept>

namespace gateway::simulation {
namespace {

constexpr std::size_t sector = 512;

void apply(Disk::File& file, const Disk::File::Change& change) {
    if (change.length == 0) {
        file.flushed.resize(std::min(file.flushed.size(), change.offset));
        return;
    }
    const auto end = std::min(change.offset + change.length, file.now.size());
    if (change.offset >= end) return;  // cut off again since
    if (file.flushed.size() < end) file.flushed.resize(end);
    std::copy(file.now.begin() + static_cast<std::ptrdiff_t>(change.offset),
              file.now.begin() + static_cast<std::ptrdiff_t>(end),
              file.flushed.begin() + static_cast<std::ptrdiff_t>(change.offset));
}

// Of what was not flushed, some writes land whole, some in part, some not at all, in any order.
void tear_changes(Disk::File& file, Chance& chance) {
    for (auto change : file.unflushed) {
        if (chance.one_in(2)) continue;
        if (change.length > sector && chance.one_in(2))
            change.length = sector * (1 + chance.below(change.length / sector));
        apply(file, change);
        file.kept = true;
    }
}

}  // namespace

Disk::Handle Disk::open(const std::string& name, bool create) {
    const auto found = files_.find(name);
    if (found != files_.end()) return found->second;
    if (!create) return nullptr;
    return files_.emplace(name, std::make_shared<File>()).first->second;
}

Disk::Verdict Disk::before_change(bool grows) {
    if (cut_) return Verdict::error;
    ++changes_;
    if (cut_in > 0 && --cut_in == 0) {
        cut_ = true;
        return Verdict::error;
    }
    const bool fails_now = fail_in > 0 && --fail_in == 0;
    if (fails_now || faults.failing || (faults.full && grows)) {
        ++failures_;
        return fails_now || faults.failing ? Verdict::error : Verdict::full;
    }
    return Verdict::done;
}

Disk::Verdict Disk::flush(File& file) {
    if (cut_in_flushes > 0 && --cut_in_flushes == 0) cut_ = true;
    const auto verdict = before_change(false);
    if (verdict != Verdict::done) {
        if (!cut_ && faults.forgetful) file.unflushed.clear();
        return verdict;
    }
    for (const auto& change : file.unflushed)
        apply(file, change);
    file.unflushed.clear();
    file.kept = true;
    return Verdict::done;
}

void Disk::crash(Chance& chance, bool tear) {
    for (auto entry = files_.begin(); entry != files_.end();) {
        auto& file = *entry->second;
        if (tear) tear_changes(file, chance);
        file.unflushed.clear();
        file.now = file.flushed;
        entry = file.kept ? std::next(entry) : files_.erase(entry);
    }
    // This disk keeps what was flushed: it must never be taken for one that does not.
    const auto log = files_.find(std::string(journal_path) + "-wal");
    if (log != files_.end() && test::has_gap(log->second->flushed))
        throw std::logic_error("an honest disk is taken for one that lost what was flushed");
    shared_memory_.clear();
    ++generation_;
    cut_ = false;
    cut_in = 0;
    cut_in_flushes = 0;
}

Disk Disk::flushed() const {
    Disk disk;
    for (const auto& [name, file] : files_)
        if (file->kept) disk.files_.emplace(name, std::make_shared<File>(File{.now = file->flushed}));
    return disk;
}

Disk Disk::at_rest() const {
    Disk disk;
    for (const auto& [name, file] : files_)
        disk.files_.emplace(name, std::make_shared<File>(File{.now = file->now, .flushed = file->now, .kept = true}));
    return disk;
}

Disk Disk::copy() const {
    Disk disk;
    for (const auto& [name, file] : files_)
        disk.files_.emplace(name, std::make_shared<File>(File{.now = file->now}));
    return disk;
}

}  // namespace gateway::simulation
