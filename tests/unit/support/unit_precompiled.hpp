// Includes what nearly every unit test includes and no test changes.
#pragma once

#include "precompiled.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
