// Writes as numbers what the program takes of its machine: the process under the names that Prometheus' own libraries
// use, its versions, and the file of its journal.
#pragma once

#include "api/exposition.hpp"
#include "base/clock.hpp"
#include "base/process.hpp"

#include <string>

namespace gateway {

// `versions` names the version of the program, and those of the libraries that it found when it was started.
void expose_build(Exposition& out, Exposition::Labels versions);

// Leaves out what is not known.
void expose_process(Exposition& out, const ProcessUse& use, WallTime started_at);

// Writes the size of the journal's file together with what SQLite has written beside it, and leaves out what the system
// does not tell. `path` is a file that is open, so that asking for it waits for no disk.
void expose_journal_file(Exposition& out, const std::string& path);

}  // namespace gateway
