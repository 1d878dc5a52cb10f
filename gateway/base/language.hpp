// These are the languages of texts for people in the store. Logs, ids and codes have no language and are never
// translated.
#pragma once

namespace gateway {

enum class Language { english, portuguese };

}  // namespace gateway
