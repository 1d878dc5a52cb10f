// Finds out what becomes of every disk that a shop's day could have left. A day is recorded first: its changes of the
// disk, and how much of the disk was not flushed before each. An image is the disk that one failure leaves at one of
// these changes; the day is lived again up to there, and goes on from the image until all is at rest.
#pragma once

#include "simulation/plan.hpp"
#include "simulation/promises.hpp"
#include "simulation/statistics.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gateway::simulation {

struct Image {
    std::uint64_t seed = 1;  // of the day
    std::size_t block_bytes = padded_block_bytes;
    // Changes of the disk are counted from 1. This one is a flush, and fails; 0: none fails.
    std::uint64_t failed_flush = 0;
    bool forgetful = false;  // the flush that fails has lost what it had to write
    // The process alone is killed before this change, and starts again on what programs see; 0: it is not killed.
    std::uint64_t killed = 0;
    // The power is cut before this change, or after so many messages, counted from the last start after a kill.
    Crash::Kind cut = Crash::Kind::at_write;
    std::uint64_t nth = 1;
    std::string fates = Fates::all_old;
};
std::string to_string(const Image& image);
// Reads what to_string() has written.
std::optional<Image> parse_image(const std::string& text);
// Tells whether the gateway promises anything of the image: it pads its commits for blocks of this size and smaller.
bool is_promised(const Image& image);

ImageKind kind_of(const Image& image);

struct Judged {
    std::optional<Broken> broken;
    bool met = false;  // the power was cut as the image says
};
Judged judge(const Image& image, Statistics& statistics, const Trace& trace);

// Returns so many images that are promised something, in an order of chance: half of them of a power cut alone, and a
// quarter of each other beginning. Besides, it returns some of larger blocks.
std::vector<Image> images(std::uint64_t wanted, std::uint64_t seed);

}  // namespace gateway::simulation
