// The languages of what a person in the store reads. Logs, ids and codes have none: they stay as they are.
#pragma once

namespace gateway {

enum class Language { english, portuguese };

}  // namespace gateway
