#include "simulation/disk.hpp"

#include "base/check.hpp"
#include "unit/support/log_gap_in.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace gateway::simulation {
namespace {

// Returns how many blocks this many bytes take.
std::size_t blocks(std::size_t bytes) {
    return (bytes + Disk::block_bytes - 1) / Disk::block_bytes;
}

// Puts the block's present content on the disk.
void land(Disk::File& file, std::size_t block) {
    const auto from = block * Disk::block_bytes;
    const auto bytes = std::string_view(file.now).substr(from, Disk::block_bytes);
    if (file.flushed.size() < from + bytes.size()) file.flushed.resize(from + bytes.size());
    file.flushed.replace(from, bytes.size(), bytes);
}

// The disk was writing the block when the power went: it then has zeros, random bytes, or half of the old content.
void tear_block(Disk::File& file, std::size_t block, Chance& chance) {
    const auto from = block * Disk::block_bytes;
    auto before = file.flushed.substr(std::min(from, file.flushed.size()), Disk::block_bytes);
    land(file, block);
    const auto torn = std::span(file.flushed).subspan(from, std::min(Disk::block_bytes, file.flushed.size() - from));
    before.resize(torn.size());
    switch (chance.below(4)) {
        case 0: std::ranges::fill(torn, '\0'); break;
        case 1: chance.source().fill(std::as_writable_bytes(torn)); break;
        case 2: std::copy_n(before.begin(), torn.size() / 2, torn.begin()); break;
        case 3: std::ranges::copy_backward(std::string_view(before).substr(torn.size() / 2), torn.end()); break;
    }
}

bool is_unchanged(const Disk::File& file, std::size_t block) {
    const auto from = block * Disk::block_bytes;
    return from < file.flushed.size() && std::string_view(file.now).substr(from, Disk::block_bytes) ==
                                             std::string_view(file.flushed).substr(from, Disk::block_bytes);
}

void land_by_chance(Disk::File& file, Chance& chance, bool in_doubt) {
    if (file.shortest < file.flushed.size() && chance.one_in(2)) file.flushed.resize(file.shortest);
    for (const auto block : file.dirty) {
        const auto fate = chance.below(3);
        if (fate == 0) continue;
        // A program that cannot know what is durable writes it again: see "what the simulation does not deal".
        if (in_doubt && is_unchanged(file, block)) continue;
        fate == 1 ? land(file, block) : tear_block(file, block, chance);
        file.kept = true;
    }
}

void forget_what_was_not_flushed(Disk::File& file) {
    file.dirty.clear();
    file.forgot.clear();
    file.shortest = std::string::npos;
    file.now = file.flushed;
}

}  // namespace

void Disk::File::write(const void* data, std::size_t size, std::size_t from) {
    if (size == 0) return;
    if (now.size() < from + size) now.resize(from + size);
    std::memcpy(now.data() + from, data, size);
    for (auto block = from / block_bytes; block < blocks(from + size); ++block) {
        dirty.insert(block);
        forgot.erase(block);
    }
}

void Disk::File::cut(std::size_t size) {
    now.resize(size);
    shortest = std::min(shortest, size);
    for (auto* of : {&dirty, &forgot})
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

Disk::Verdict Disk::before_change(const File* file, std::size_t end) {
    if (cut_) return Verdict::error;
    if (interrupt_in > 0 && --interrupt_in == 0) interrupt();
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
    const auto verdict = before_change();
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

void Disk::crash(Chance& chance, bool tear) {
    const auto log = files_.find(std::string(journal_path) + "-wal");
    const bool honest = log == files_.end() || log->second->forgot.empty();
    for (auto entry = files_.begin(); entry != files_.end();) {
        auto& file = *entry->second;
        if (tear) land_by_chance(file, chance, in_doubt_);
        forget_what_was_not_flushed(file);
        entry = file.kept ? std::next(entry) : files_.erase(entry);
    }
    for (auto entry = removed_.begin(); entry != removed_.end();) {
        const auto back = entry++;
        if (tear && chance.one_in(2)) continue;
        forget_what_was_not_flushed(*back->second);
        files_.insert(removed_.extract(back));
    }
    removed_.clear();
    // This disk keeps what was flushed, so it must never be taken for one that does not.
    const auto left = files_.find(std::string(journal_path) + "-wal");
    if (honest && left != files_.end() && test::has_gap(left->second->flushed))
        throw std::logic_error("an honest disk is taken for one that lost what was flushed");
    go_on();
    in_doubt_ = false;
}

void Disk::go_on() noexcept {
    in_doubt_ = true;
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
