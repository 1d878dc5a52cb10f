// Runs a process beside the gateway's that has the journal's files locked.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace gateway::test {

// This is a process that has some bytes of a file locked, in SQLite's way, for as long as the object lives.
class LockingProcess {
  public:
    LockingProcess(const std::string& path, short type, off_t start, off_t length) {
        int told[2] = {-1, -1};
        EXPECT_EQ(::pipe(told), 0);
        process = ::fork();
        if (process == 0) {
            struct flock lock {};
            lock.l_type = type;
            lock.l_whence = SEEK_SET;
            lock.l_start = start;
            lock.l_len = length;
            const int file = ::open(path.c_str(), O_RDWR);
            const char done = ::fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
            (void)!::write(told[1], &done, 1);
            while (true)
                ::pause();
        }
        char done = 'n';
        EXPECT_EQ(::read(told[0], &done, 1), 1);
        EXPECT_EQ(done, 'y');
        for (const int end : told)
            ::close(end);
    }
    LockingProcess(const LockingProcess&) = delete;
    LockingProcess& operator=(const LockingProcess&) = delete;
    ~LockingProcess() {
        ::kill(process, SIGKILL);
        ::waitpid(process, nullptr, 0);
    }

    pid_t process = -1;
};

}  // namespace gateway::test
