// What the program takes of its machine, as numbers: the process under the names that Prometheus' own libraries give
// these, its versions, and the file of its journal.
#pragma once

#include "api/exposition.hpp"
#include "base/clock.hpp"
#include "base/process.hpp"

#include <string>

namespace gateway {

// `versions`: of the program, and of the libraries that it found when it was started.
void expose_build(Exposition& out, Exposition::Labels versions);

// What is not known is left out.
void expose_process(Exposition& out, const ProcessUse& use, WallTime started_at);

// The journal's file with what SQLite has written beside it; what the system does not tell is left out. `path` is a
// file that is open: asking for it waits for no disk.
void expose_journal_file(Exposition& out, const std::string& path);

}  // namespace gateway
