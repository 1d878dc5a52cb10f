// What a file of the journal needs in its place besides its bytes: the owner that uses it, and a folder that knows it
// after a power cut. Errors are sentences for the operator.
#pragma once

#include <boost/system/result.hpp>

#include <string>

namespace gateway {

// Root makes it for the gateway, which must be able to write what it finds: the owner of the folder is the gateway. For
// any other user there is nothing to do.
boost::system::result<void, std::string> hand_over(const std::string& file, const std::string& journal);

// What was made or renamed in the folder of this file is so after a power cut too.
boost::system::result<void, std::string> flush_folder_of(const std::string& file);

}  // namespace gateway
