// What the process settles with the operating system about itself, once, before it serves.
#pragma once

namespace gateway {

// As many descriptors as the system lets us have: a sale under way needs two.
void raise_descriptor_limit();
// A reader of the log that goes away and a file at its size limit are failed writes, and none of them ends a sale.
void let_writes_fail();
// What is in memory (keys, tokens, customers' data) goes into no core file, and no other process of the same user reads
// it.
void keep_memory_private();

}  // namespace gateway
