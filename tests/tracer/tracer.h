/* Runs a program under ptrace and stops its threads where they make system calls. Calls that the program's filter lets
 * pass (seccomp) cost nothing. The tools that use this have a loop of their own around waitpid(). */
#pragma once

#include <stddef.h>
#include <sys/types.h>
#include <sys/user.h>

/* Says which argument of a call leads to a file: none, a descriptor, a path, or a folder's descriptor and a path. */
enum place { NOWHERE, BY_FILE, BY_PATH, BY_FOLDER_AND_PATH };

enum stop {
    GOES_ON,     /* nothing that a tool has to decide; the thread runs again */
    CALL_BEGINS, /* the thread waits before a call, and the tool lets it go on */
    CALL_ENDS,   /* the thread waits after a call whose end was asked for, and the tool lets it go on */
    ENDED        /* the thread is gone */
};

/* Ends the tool with 125, which says that it could not do its work. */
__attribute__((noreturn)) void die(const char* what);

/* Starts the program, which will stop at the calls with these numbers; NULL: at every call. The first stop must be
 * waited for next. */
pid_t launch(char** arguments, const long* numbers, int count);

/* Says what a result of waitpid(-1, &status, __WALL) means. */
enum stop stop_of(pid_t thread, int status);

/* Lets a thread go on that waits at a call. `until_end`: it stops again at the end of this call. */
void go_on(pid_t thread, int until_end);

/* Kills all threads at once. Returns when the last of them is gone, also those that were just being started. */
void kill_all(void);

/* Returns the number of a thread: they are numbered from 1 in the order in which they began. */
int number_of(pid_t thread);

/* Returns 0 if the thread is gone meanwhile. */
int read_registers(pid_t thread, struct user_regs_struct* registers);

unsigned long long argument_of(const struct user_regs_struct* registers, int index);

/* Makes the call return a value at once, without being carried out. */
void answer(pid_t thread, struct user_regs_struct* registers, long value);

/* Makes a call that has been carried out return another value. */
void answer_otherwise(pid_t thread, long value);

/* Reads memory of the thread. Returns how many bytes there were. */
size_t read_memory(pid_t thread, unsigned long long address, void* bytes, size_t size);

/* Writes where a call leads into a text of PATH_MAX bytes. `index` is the first argument that says so. */
void path_of(pid_t thread, enum place place, int index, const struct user_regs_struct* registers, char* path);
