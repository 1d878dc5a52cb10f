#include "simulation/disk.hpp"

#include "base/check.hpp"
#include "unit/support/log_gap_in.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

namespace gateway::simulation {
namespace {

void forget_what_was_not_flushed(Disk::File& file) {
    file.dirty.clear();
    file.forgot.clear();
    file.shortest = std::string::npos;
    file.now = file.flushed;
}

}  // namespace

// Returns how many blocks this many bytes take.
std::size_t Disk::blocks(std::size_t bytes) const noexcept {
    return (bytes + block_bytes - 1) / block_bytes;
}

// Puts the block's present content on the disk.
void Disk::land(File& file, std::size_t block) const {
    const auto from = block * block_bytes;
    const auto bytes = std::string_view(file.now).substr(from, block_bytes);
    if (file.flushed.size() < from + bytes.size()) file.flushed.resize(from + bytes.size());
    file.flushed.replace(from, bytes.size(), bytes);
}

// Puts on the disk what a power cut leaves of the block.
void Disk::leave(File& file, std::size_t block, Fates& fates) const {
    const auto fate = fates.of_block();
    if (fate == BlockFate::is_old) return;
    const auto from = block * block_bytes;
    auto before = file.flushed.substr(std::min(from, file.flushed.size()), block_bytes);
    land(file, block);
    file.kept = true;
    const auto left = std::span(file.flushed).subspan(from, std::min(block_bytes, file.flushed.size() - from));
    before.resize(left.size());
    const auto half = left.size() / 2;
    switch (fate) {
        case BlockFate::is_new:
        case BlockFate::is_old: break;
        case BlockFate::zeros: std::ranges::fill(left, '\0'); break;
        case BlockFate::random: fates.random_bytes().fill(std::as_writable_bytes(left)); break;
        case BlockFate::new_second_half: std::copy_n(before.begin(), half, left.begin()); break;
        case BlockFate::new_first_half:
            std::ranges::copy_backward(std::string_view(before).substr(half), left.end());
            break;
    }
}

// A program that cannot know what is durable writes it again: see "what the simulation does not deal".
bool Disk::is_at_risk(const File& file, std::size_t block) const {
    const auto from = block * block_bytes;
    const bool is_unchanged =
        from < file.flushed.size() && std::string_view(file.now).substr(from, block_bytes) ==
                                          std::string_view(file.flushed).substr(from, block_bytes);
    return !in_doubt_ || !is_unchanged;
}

void Disk::leave_some(File& file, Fates& fates) const {
    if (file.shortest < file.flushed.size() && !fates.is_lost()) file.flushed.resize(file.shortest);
    for (const auto block : file.dirty)
        if (is_at_risk(file, block)) leave(file, block, fates);
}

void Disk::write(File& file, const void* data, std::size_t size, std::size_t from) const {
    if (size == 0) return;
    if (file.now.size() < from + size) file.now.resize(from + size);
    std::memcpy(file.now.data() + from, data, size);
    for (auto block = from / block_bytes; block < blocks(from + size); ++block) {
        file.dirty.insert(block);
        file.forgot.erase(block);
    }
}

void Disk::shorten(File& file, std::size_t size) const {
    file.now.resize(size);
    file.shortest = std::min(file.shortest, size);
    for (auto* of : {&file.dirty, &file.forgot})
        of->erase(of->lower_bound(blocks(size)), of->end());
}

Disk::Handle Disk::open(const std::string& name, bool create) {
    const auto found = files_.find(name);
    if (found != files_.end()) return found->second;
    if (!create) return nullptr;
    return files_.emplace(name, std::make_shared<File>()).first->second;
}

void Disk::remove(const std::string& name, bool flush_folder) {
    if (auto file = files_.extract(name); file && file.mapped()->kept) removed_.insert(std::move(file));
    if (flush_folder) removed_.clear();
}

Disk::Verdict Disk::before_change(const File* file, std::size_t end, bool is_flush) {
    if (cut_) return Verdict::error;
    if (interrupt_in > 0 && --interrupt_in == 0) interrupt();
    if (watch) watch(is_flush);
    ++changes_;
    if (cut_in > 0 && --cut_in == 0) cut_ = true;
    if (cut_) return Verdict::error;
    const bool fails_now = fail_in > 0 && --fail_in == 0;
    const bool needs_room = file != nullptr && blocks(end) > blocks(file->now.size());
    const bool no_room = (fails_now && fails_as_full) || (faults.full && needs_room);
    if (!fails_now && !faults.failing && !no_room) return Verdict::done;
    ++failures_;
    return faults.failing || !no_room ? Verdict::error : Verdict::full;
}

Disk::Verdict Disk::flush(File& file) {
    if (cut_in_flushes > 0 && --cut_in_flushes == 0) cut_ = true;
    const auto verdict = before_change(nullptr, 0, true);
    if (verdict != Verdict::done) {
        ++file.failed_flushes;
        in_doubt_ = in_doubt_ || !cut_;
        if (cut_ || !faults.forgetful) return verdict;
        for (const auto block : std::exchange(file.dirty, {}))
            if ((block + changes_) % 2 == 0)
                land(file, block);  // before the error occurred
            else
                file.forgot.insert(block);
        return verdict;
    }
    removed_.clear();
    file.flushed.resize(std::min(file.flushed.size(), std::exchange(file.shortest, std::string::npos)));
    for (const auto block : file.dirty)
        land(file, block);
    file.flushed.resize(std::max(file.flushed.size(), file.now.size()));
    file.dirty.clear();
    file.kept = true;
    return Verdict::done;
}

bool Disk::crash(Fates& fates) {
    const auto log = files_.find(std::string(journal_path) + "-wal");
    const bool honest = log == files_.end() || log->second->forgot.empty();
    for (auto entry = files_.begin(); entry != files_.end();) {
        auto& file = *entry->second;
        leave_some(file, fates);
        forget_what_was_not_flushed(file);
        entry = file.kept ? std::next(entry) : files_.erase(entry);
    }
    for (auto entry = removed_.begin(); entry != removed_.end();) {
        const auto back = entry++;
        if (!fates.is_lost()) continue;
        forget_what_was_not_flushed(*back->second);
        files_.insert(removed_.extract(back));
    }
    removed_.clear();
    go_on();
    in_doubt_ = false;
    const auto left = files_.find(std::string(journal_path) + "-wal");
    return !honest || left == files_.end() || !test::has_gap(left->second->flushed);
}

std::size_t Disk::unflushed() const {
    auto count = removed_.size();
    for (const auto& [name, file] : files_) {
        if (file->shortest < file->flushed.size()) ++count;
        for (const auto block : file->dirty)
            if (is_at_risk(*file, block)) ++count;
    }
    return count;
}

void Disk::go_on() noexcept {
    in_doubt_ = true;
    cut_ = false;
    cut_in = 0;
    cut_in_flushes = 0;
}

Disk Disk::flushed() const {
    Disk disk;
    disk.block_bytes = block_bytes;
    for (const auto& [name, file] : files_)
        if (file->kept) disk.files_.emplace(name, std::make_shared<File>(File{.now = file->flushed}));
    return disk;
}

Disk Disk::at_rest() const {
    Disk disk;
    disk.block_bytes = block_bytes;
    for (const auto& [name, file] : files_)
        disk.files_.emplace(name, std::make_shared<File>(File{.now = file->now, .flushed = file->now, .kept = true}));
    return disk;
}

Disk Disk::alone(const std::string& name) const {
    Disk disk;
    disk.block_bytes = block_bytes;
    if (const auto found = files_.find(name); found != files_.end()) {
        const auto& now = found->second->now;
        disk.files_.emplace(name, std::make_shared<File>(File{.now = now, .flushed = now, .kept = true}));
    }
    return disk;
}

void Disk::replace_journal(const Disk& other, Replacing how) {
    const auto& bytes = other.files_.at(journal_path)->now;
    const auto file = open(journal_path, true);
    shorten(*file, 0);
    write(*file, bytes.data(), bytes.size(), 0);
    if (how == Replacing::by_cp_beside_the_log) return;
    for (const auto* ending : {"-wal", "-journal"})
        remove(std::string(journal_path) + ending, false);
    if (how != Replacing::flushed) return;
    file->flushed = file->now;
    file->dirty.clear();
    file->shortest = std::string::npos;
    removed_.clear();
}

bool Disk::has_log() const {
    const auto log = files_.find(std::string(journal_path) + "-wal");
    return log != files_.end() && !log->second->now.empty();
}

bool Disk::is_in_wal_mode() const {
    constexpr std::size_t version_of_reader = 19;
    constexpr char wal = 2;
    const auto& bytes = files_.at(journal_path)->now;
    return has_log() || (bytes.size() > version_of_reader && bytes[version_of_reader] == wal);
}

Disk Disk::copy() const {
    Disk disk;
    disk.block_bytes = block_bytes;
    for (const auto& [name, file] : files_)
        disk.files_.emplace(name, std::make_shared<File>(File{.now = file->now}));
    return disk;
}

}  // namespace gateway::simulation
