// Compiles the bodies of Asio, Asio's TLS part and Beast once for the whole project.
#include <boost/asio/impl/src.hpp>
#include <boost/asio/ssl/impl/src.hpp>
#include <boost/beast/src.hpp>
