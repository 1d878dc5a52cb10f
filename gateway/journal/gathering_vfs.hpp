// Fewer, longer writes to the write-ahead log. SQLite writes every page of a commit by two calls of the operating
// system, its header and itself, one behind the other; a commit of sixty-four sales makes hundreds of them. Here they
// are gathered in memory and written by a few calls when SQLite has the log flushed.
//
// Nothing is promised by SQLite before that flush, so nothing is lost by the wait; what fails to be written fails the
// flush, and with it the commit. This holds for `PRAGMA synchronous = FULL`, where every commit is flushed. Files other
// than the log are left to the VFS below.
#pragma once

#include "journal/sqlite.hpp"

namespace gateway {

// The name of a VFS that gathers writes to the log and passes everything on to the VFS called `below` (nullptr:
// SQLite's default), which must stay registered. The same name for the same `below`; nullptr where there is no such
// VFS, or no memory. From one thread at a time.
const char* gathering_vfs(const char* below);

// Forgets what a transaction that was rolled back left: comes after every rollback. A large one has pages written
// before it ends, and at their places in the file another program's commit may stand when these would be written.
void drop_gathered(sqlite::Connection& connection);

}  // namespace gateway
