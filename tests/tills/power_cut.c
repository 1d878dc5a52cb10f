/* This runs a program, and takes its power or its disk away at a chosen moment, always the same one.
 *
 *   power_cut REPORT [--kill N] [--full N FOLDER | --fail N FOLDER] [--image IMAGE] [--no-sleep] PROGRAM [ARGUMENT...]
 *
 * It counts, over all processes and threads of the program together, the system calls that somebody outside could
 * notice: those on files, names and sockets, and the waits for them. All others change only what dies with the program,
 * so dying at one of those is the same as dying at the next that counts. Calls that are not counted cost nothing: a
 * filter of the kernel's (seccomp) lets them pass.
 *
 *   --kill N         at the Nth counted call, before it is carried out, everything dies at once, as in a power cut
 *   --full N FOLDER  from the Nth call on that would make, write, rename or flush something in FOLDER, each gets ENOSPC
 *   --fail N FOLDER  only the Nth of these calls fails, with EIO
 *   --image IMAGE    the folder IMAGE has what may be on FOLDER's disk when the power goes: each file as it was at its
 *                    last flush that did not fail, or at its first one, under its name until a flush of FOLDER that did
 *                    not fail took that away
 *   --no-sleep       sleeping takes no time
 *
 * REPORT says how many calls counted, which one was the last, whether it died there, and how many were failed. It
 * exits as the program does, or with 137 where it killed it. */
#define _GNU_SOURCE
#include "disk_image.h"
#include "tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Says what kind of call it is: one that is only seen, one that may sleep, or one that may fail, where it leads. */
enum kind { SEEN, SLEEP, WAIT, ON_DISK };

struct call {
    long number;
    const char* name;
    enum kind kind;
    enum place place;
    int argument; /* the first of the arguments that say where, or of a wait the one that may be empty */
    int flags;    /* counted only if the argument after the path has O_CREAT or O_TRUNC */
};

static const struct call calls[] = {
    {SYS_open, "open", ON_DISK, BY_PATH, 0, 1},
    {SYS_openat, "openat", ON_DISK, BY_FOLDER_AND_PATH, 0, 1},
    {SYS_creat, "creat", ON_DISK, BY_PATH, 0, 0},
    {SYS_mkdir, "mkdir", ON_DISK, BY_PATH, 0, 0},
    {SYS_mkdirat, "mkdirat", ON_DISK, BY_FOLDER_AND_PATH, 0, 0},
    {SYS_rename, "rename", ON_DISK, BY_PATH, 1, 0},
    {SYS_renameat, "renameat", ON_DISK, BY_FOLDER_AND_PATH, 2, 0},
    {SYS_renameat2, "renameat2", ON_DISK, BY_FOLDER_AND_PATH, 2, 0},
    {SYS_link, "link", ON_DISK, BY_PATH, 1, 0},
    {SYS_linkat, "linkat", ON_DISK, BY_FOLDER_AND_PATH, 2, 0},
    {SYS_symlink, "symlink", ON_DISK, BY_PATH, 1, 0},
    {SYS_symlinkat, "symlinkat", ON_DISK, BY_FOLDER_AND_PATH, 1, 0},
    {SYS_unlink, "unlink", SEEN, NOWHERE, 0, 0},
    {SYS_unlinkat, "unlinkat", SEEN, NOWHERE, 0, 0},
    {SYS_rmdir, "rmdir", SEEN, NOWHERE, 0, 0},
    {SYS_write, "write", ON_DISK, BY_FILE, 0, 0},
    {SYS_pwrite64, "pwrite64", ON_DISK, BY_FILE, 0, 0},
    {SYS_writev, "writev", ON_DISK, BY_FILE, 0, 0},
    {SYS_pwritev, "pwritev", ON_DISK, BY_FILE, 0, 0},
    {SYS_pwritev2, "pwritev2", ON_DISK, BY_FILE, 0, 0},
    {SYS_copy_file_range, "copy_file_range", ON_DISK, BY_FILE, 2, 0},
    {SYS_sendfile, "sendfile", ON_DISK, BY_FILE, 0, 0},
    {SYS_ftruncate, "ftruncate", ON_DISK, BY_FILE, 0, 0},
    {SYS_fallocate, "fallocate", ON_DISK, BY_FILE, 0, 0},
    {SYS_fsync, "fsync", ON_DISK, BY_FILE, 0, 0},
    {SYS_fdatasync, "fdatasync", ON_DISK, BY_FILE, 0, 0},
    {SYS_sync_file_range, "sync_file_range", ON_DISK, BY_FILE, 0, 0},
    {SYS_syncfs, "syncfs", ON_DISK, BY_FILE, 0, 0},
    {SYS_sync, "sync", SEEN, NOWHERE, 0, 0},
    {SYS_socket, "socket", SEEN, NOWHERE, 0, 0},
    {SYS_connect, "connect", SEEN, NOWHERE, 0, 0},
    {SYS_sendto, "sendto", SEEN, NOWHERE, 0, 0},
    {SYS_sendmsg, "sendmsg", SEEN, NOWHERE, 0, 0},
    {SYS_sendmmsg, "sendmmsg", SEEN, NOWHERE, 0, 0},
    {SYS_shutdown, "shutdown", SEEN, NOWHERE, 0, 0},
    {SYS_recvfrom, "recvfrom", SEEN, NOWHERE, 0, 0},
    {SYS_recvmsg, "recvmsg", SEEN, NOWHERE, 0, 0},
    {SYS_recvmmsg, "recvmmsg", SEEN, NOWHERE, 0, 0},
    {SYS_poll, "poll", WAIT, NOWHERE, 1, 0},
    {SYS_ppoll, "ppoll", WAIT, NOWHERE, 1, 0},
    {SYS_select, "select", WAIT, NOWHERE, 0, 0},
    {SYS_pselect6, "pselect6", WAIT, NOWHERE, 0, 0},
    {SYS_epoll_wait, "epoll_wait", SEEN, NOWHERE, 0, 0},
    {SYS_epoll_pwait, "epoll_pwait", SEEN, NOWHERE, 0, 0},
    {SYS_nanosleep, "nanosleep", SLEEP, NOWHERE, 0, 0},
    {SYS_clock_nanosleep, "clock_nanosleep", SLEEP, NOWHERE, 0, 0},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static long kill_at, fail_from, fail_until, counted, on_disk, failed;
static int fail_with, no_sleep;
static const char *folder = "", *image = NULL;
static const char* last_name = "-";

static const struct call* call_of(const struct user_regs_struct* registers) {
    for (int i = 0; i < CALLS; ++i)
        if (calls[i].number == (long)registers->orig_rax) return &calls[i];
    return NULL;
}

/* Decides what becomes of a call. Returns whether everything has to die now. */
static int decide(pid_t thread) {
    struct user_regs_struct registers;
    if (!read_registers(thread, &registers)) return 0;
    const struct call* call = call_of(&registers);
    if (call == NULL) return 0;
    int sleeps = call->kind == SLEEP || (call->kind == WAIT && argument_of(&registers, call->argument) == 0);
    if (sleeps) {
        if (no_sleep) answer(thread, &registers, 0);
        return 0;
    }
    if (call->flags) {
        unsigned long long flags = argument_of(&registers, call->place == BY_PATH ? 1 : 2);
        if ((flags & (O_CREAT | O_TRUNC)) == 0) return 0;
    }
    last_name = call->name;
    if (++counted == kill_at) return 1;
    if (fail_from > 0 && call->kind == ON_DISK) {
        char path[PATH_MAX];
        path_of(thread, call->place, call->argument, &registers, path);
        if (!is_in_folder(folder, path)) return 0;
        ++on_disk;
        int fails = on_disk >= fail_from && on_disk <= fail_until;
        if (image != NULL && (call->number == SYS_fsync || call->number == SYS_fdatasync))
            picture(folder, image, path, fails);
        if (fails) answer(thread, &registers, -fail_with);
        failed += fails;
    }
    return 0;
}

static void write_report(const char* name, int died) {
    FILE* file = fopen(name, "w");
    if (file == NULL) die(name);
    fprintf(file, "%ld %s %d %ld\n", counted, last_name, died, failed);
    if (fclose(file) != 0) die(name);
}

/* Runs until the program has ended. Returns its wait status, or -1 if its power was cut. */
static int trace(pid_t program) {
    int status, result = 0;
    pid_t thread;
    while ((thread = waitpid(-1, &status, __WALL)) > 0) {
        switch (stop_of(thread, status)) {
        case ENDED:
            if (thread == program) result = status;
            break;
        case CALL_BEGINS:
            if (decide(thread)) {
                kill_all();
                return -1;
            }
            go_on(thread, 0);
            break;
        case CALL_ENDS:
        case GOES_ON: break;
        }
    }
    return result;
}

/* Starts the program, which stops at the calls of the table. */
static pid_t start(char** arguments) {
    long numbers[CALLS];
    for (int i = 0; i < CALLS; ++i)
        numbers[i] = calls[i].number;
    return launch(arguments, numbers, CALLS);
}

int main(int count, char** arguments) {
    int at = 2;
    for (; at < count && strncmp(arguments[at], "--", 2) == 0; ++at) {
        if (strcmp(arguments[at], "--no-sleep") == 0) {
            no_sleep = 1;
        } else if (strcmp(arguments[at], "--kill") == 0 && at + 1 < count) {
            kill_at = strtol(arguments[++at], NULL, 10);
        } else if ((strcmp(arguments[at], "--full") == 0 || strcmp(arguments[at], "--fail") == 0) && at + 2 < count) {
            int once = strcmp(arguments[at], "--fail") == 0;
            fail_with = once ? EIO : ENOSPC;
            fail_from = strtol(arguments[++at], NULL, 10);
            fail_until = once ? fail_from : LONG_MAX;
            folder = arguments[++at];
        } else if (strcmp(arguments[at], "--image") == 0 && at + 1 < count) {
            image = arguments[++at];
        } else {
            fprintf(stderr, "power_cut: %s is no option\n", arguments[at]);
            return 125;
        }
    }
    if (at >= count) {
        fprintf(stderr, "power_cut: there is no program to run\n");
        return 125;
    }
    int status = trace(start(arguments + at));
    write_report(arguments[1], status == -1);
    if (status == -1) return 128 + SIGKILL;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
