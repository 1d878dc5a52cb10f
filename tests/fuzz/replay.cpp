// This feeds a target what is kept: every file of the folders that are named, whole, cut off at every length, and with
// single bytes changed, each time in the same way. It is for every build, with any compiler. One program has all
// targets, because each alone would have a hundred megabytes under the sanitizers.
#include "fuzz/fuzz.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using Target = int(const std::uint8_t* data, std::size_t size);

// These are the build's names for the function of each target.
#define FUZZ_TARGET(name) extern "C" Target fuzz_##name;
#include "fuzz_targets.inc"
#undef FUZZ_TARGET

namespace {

const std::map<std::string_view, Target*> targets{
#define FUZZ_TARGET(name) {#name, &fuzz_##name},
#include "fuzz_targets.inc"
#undef FUZZ_TARGET
};

// This limits the changes of each input, so that a long one does not take longer than all others.
constexpr std::size_t most_cuts = 400;
constexpr std::size_t most_changes = 400;

void feed(Target* target, const std::string& input) {
    // Makes a copy of exactly its size, so that a sanitizer sees a read beyond its end.
    const std::vector<std::uint8_t> bytes(input.begin(), input.end());
    target(bytes.data(), bytes.size());
}

void feed_around(Target* target, const std::string& input) {
    feed(target, input);
    for (std::size_t i = 0; i < std::min(most_cuts, input.size()); ++i)
        feed(target, input.substr(0, input.size() * i / std::min(most_cuts, input.size())));
    constexpr std::string_view others("\0\xff\"{}[]\\:, \r\n0-9az%", 20);
    for (std::size_t i = 0; i < std::min(most_changes, input.size()); ++i) {
        auto changed = input;
        changed[(i * 2654435761U) % input.size()] = others[i % others.size()];
        feed(target, changed);
    }
}

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

// It is called as fuzz_replay TARGET FOLDER...
int main(int argc, char** argv) {
    const auto found = targets.find(argc > 1 ? argv[1] : "");
    if (found == targets.end()) {
        std::cerr << "usage: fuzz_replay TARGET FOLDER...; the targets are the files of tests/fuzz\n";
        return 2;
    }
    std::size_t inputs = 0;
    for (int i = 2; i < argc; ++i) {
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(argv[i]))
            files.push_back(entry.path());
        std::ranges::sort(files);
        for (const auto& file : files) {
            std::cout << file.string() << std::endl;  // it is flushed: the last line names what ended the program
            feed_around(found->second, text_of(file));
            ++inputs;
        }
    }
    std::cout << inputs << " inputs\n";
    return inputs > 0 ? 0 : 1;
}
