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
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
#error "The registers of this processor are not known here."
#endif

/* Says what a call does to a disk, and which arguments name it: a number, a path, or a folder's number and path. */
enum kind { SEEN, SLEEP, WAIT, BY_FILE, BY_PATH, BY_FOLDER_AND_PATH };

struct call {
    long number;
    const char* name;
    enum kind kind;
    int argument; /* the first of the arguments that say where */
    int flags;    /* counted only if the argument after the path has O_CREAT or O_TRUNC */
};

static const struct call calls[] = {
    {SYS_open, "open", BY_PATH, 0, 1},
    {SYS_openat, "openat", BY_FOLDER_AND_PATH, 0, 1},
    {SYS_creat, "creat", BY_PATH, 0, 0},
    {SYS_mkdir, "mkdir", BY_PATH, 0, 0},
    {SYS_mkdirat, "mkdirat", BY_FOLDER_AND_PATH, 0, 0},
    {SYS_rename, "rename", BY_PATH, 1, 0},
    {SYS_renameat, "renameat", BY_FOLDER_AND_PATH, 2, 0},
    {SYS_renameat2, "renameat2", BY_FOLDER_AND_PATH, 2, 0},
    {SYS_link, "link", BY_PATH, 1, 0},
    {SYS_linkat, "linkat", BY_FOLDER_AND_PATH, 2, 0},
    {SYS_symlink, "symlink", BY_PATH, 1, 0},
    {SYS_symlinkat, "symlinkat", BY_FOLDER_AND_PATH, 1, 0},
    {SYS_unlink, "unlink", SEEN, 0, 0},
    {SYS_unlinkat, "unlinkat", SEEN, 0, 0},
    {SYS_rmdir, "rmdir", SEEN, 0, 0},
    {SYS_write, "write", BY_FILE, 0, 0},
    {SYS_pwrite64, "pwrite64", BY_FILE, 0, 0},
    {SYS_writev, "writev", BY_FILE, 0, 0},
    {SYS_pwritev, "pwritev", BY_FILE, 0, 0},
    {SYS_pwritev2, "pwritev2", BY_FILE, 0, 0},
    {SYS_copy_file_range, "copy_file_range", BY_FILE, 2, 0},
    {SYS_sendfile, "sendfile", BY_FILE, 0, 0},
    {SYS_ftruncate, "ftruncate", BY_FILE, 0, 0},
    {SYS_fallocate, "fallocate", BY_FILE, 0, 0},
    {SYS_fsync, "fsync", BY_FILE, 0, 0},
    {SYS_fdatasync, "fdatasync", BY_FILE, 0, 0},
    {SYS_sync_file_range, "sync_file_range", BY_FILE, 0, 0},
    {SYS_syncfs, "syncfs", BY_FILE, 0, 0},
    {SYS_sync, "sync", SEEN, 0, 0},
    {SYS_socket, "socket", SEEN, 0, 0},
    {SYS_connect, "connect", SEEN, 0, 0},
    {SYS_sendto, "sendto", SEEN, 0, 0},
    {SYS_sendmsg, "sendmsg", SEEN, 0, 0},
    {SYS_sendmmsg, "sendmmsg", SEEN, 0, 0},
    {SYS_shutdown, "shutdown", SEEN, 0, 0},
    {SYS_recvfrom, "recvfrom", SEEN, 0, 0},
    {SYS_recvmsg, "recvmsg", SEEN, 0, 0},
    {SYS_recvmmsg, "recvmmsg", SEEN, 0, 0},
    {SYS_poll, "poll", WAIT, 1, 0},
    {SYS_ppoll, "ppoll", WAIT, 1, 0},
    {SYS_select, "select", WAIT, 0, 0},
    {SYS_pselect6, "pselect6", WAIT, 0, 0},
    {SYS_epoll_wait, "epoll_wait", SEEN, 0, 0},
    {SYS_epoll_pwait, "epoll_pwait", SEEN, 0, 0},
    {SYS_nanosleep, "nanosleep", SLEEP, 0, 0},
    {SYS_clock_nanosleep, "clock_nanosleep", SLEEP, 0, 0},
};
enum { CALLS = sizeof calls / sizeof calls[0], TRACEES = 1024 };

static long kill_at, fail_from, fail_until, counted, on_disk, failed;
static int fail_with, no_sleep;
static const char *folder = "", *image = NULL;
static const char* last_name = "-";
static pid_t tracees[TRACEES];
static int tracee_count;

static void die(const char* what) {
    fprintf(stderr, "power_cut: %s: %s\n", what, strerror(errno));
    exit(125);
}

/* --- the program's side --- */

/* Installs the filter that stops at the calls of the table, in the program and in whatever it starts. */
static void install_filter(void) {
    struct sock_filter code[4 + 2 * CALLS];
    unsigned short at = 0;
    code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 2 * CALLS + 1);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < CALLS; ++i) {
        code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].number, 0, 1);
        code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | (unsigned)i);
    }
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = at, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        die("the filter");
}

static pid_t launch(char** arguments) {
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child > 0) return child;
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) die("PTRACE_TRACEME");
    raise(SIGSTOP);
    install_filter();
    execvp(arguments[0], arguments);
    die(arguments[0]);
    return 0;
}

/* --- where a call leads --- */

static unsigned long long argument_of(const struct user_regs_struct* registers, int index) {
    const unsigned long long all[] = {registers->rdi, registers->rsi, registers->rdx,
                                      registers->r10, registers->r8,  registers->r9};
    return all[index];
}

static void read_text(pid_t pid, unsigned long long address, char* text, size_t size) {
    size_t length = 0;
    /* Reads page by page: what follows the text may not be there. */
    while (length < size - 1) {
        size_t piece = 4096 - (address + length) % 4096;
        if (piece > size - 1 - length) piece = size - 1 - length;
        struct iovec here = {text + length, piece};
        struct iovec there = {(void*)(address + length), piece};  // NOLINT: an address of the other process
        ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
        if (got <= 0) break;
        length += (size_t)got;
        if (memchr(text, 0, length) != NULL) return;
    }
    text[length] = 0;
}

static void read_link(const char* name, char* path) {
    ssize_t length = readlink(name, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
}

static void path_of(pid_t pid, const struct call* call, const struct user_regs_struct* registers, char* path) {
    char name[64], base[PATH_MAX], relative[PATH_MAX];
    int index = call->argument;
    int number = (int)argument_of(registers, index);
    if (call->kind == BY_FILE) {
        snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)pid, number);
        read_link(name, path);
        return;
    }
    if (call->kind == BY_FOLDER_AND_PATH) ++index;
    read_text(pid, argument_of(registers, index), relative, sizeof relative);
    base[0] = 0;
    if (relative[0] != '/') {
        if (call->kind == BY_FOLDER_AND_PATH && number != AT_FDCWD)
            snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)pid, number);
        else
            snprintf(name, sizeof name, "/proc/%d/cwd", (int)pid);
        read_link(name, base);
        strncat(base, "/", sizeof base - strlen(base) - 1);
    }
    snprintf(path, PATH_MAX, "%.*s%.*s", PATH_MAX / 2 - 1, base, PATH_MAX / 2 - 1, relative);
}

static int is_in_folder(const char* path) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == 0 || path[length] == '/');
}

/* --- what may be on the disk --- */

static void copy_file(const char* from, const char* to) {
    char bytes[4096];
    ssize_t got;
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    while ((got = read(in, bytes, sizeof bytes)) > 0)
        if (write(out, bytes, (size_t)got) != got) die(to);
    if (got < 0 || close(in) != 0 || close(out) != 0) die(from);
}

static void forget_names(void) {
    char here[PATH_MAX], there[PATH_MAX];
    DIR* names = opendir(image);
    if (names == NULL) die(image);
    for (struct dirent* name; (name = readdir(names)) != NULL;) {
        snprintf(here, sizeof here, "%s/%s", folder, name->d_name);
        snprintf(there, sizeof there, "%s/%s", image, name->d_name);
        if (name->d_name[0] != '.' && access(here, F_OK) != 0 && unlink(there) != 0) die(there);
    }
    closedir(names);
}

/* This comes before a flush of `path`. A flush that fails may leave anything on the disk. */
static void picture(const char* path, int fails) {
    char there[PATH_MAX];
    if (strcmp(path, folder) == 0) {
        if (!fails) forget_names();
        return;
    }
    snprintf(there, sizeof there, "%s%s", image, path + strlen(folder));
    if (!fails || access(there, F_OK) != 0) copy_file(path, there);
}

/* --- what becomes of a call --- */

static void answer(pid_t pid, struct user_regs_struct* registers, long value) {
    registers->orig_rax = (unsigned long long)-1;
    registers->rax = (unsigned long long)value;
    if (ptrace(PTRACE_SETREGS, pid, 0, registers) != 0 && errno != ESRCH) die("PTRACE_SETREGS");
}

/* Says whether everything has to die now. */
static int decide(pid_t pid, const struct call* call) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, pid, 0, &registers) != 0) return 0; /* it died meanwhile */
    int sleeps = call->kind == SLEEP || (call->kind == WAIT && argument_of(&registers, call->argument) == 0);
    if (sleeps) {
        if (no_sleep) answer(pid, &registers, 0);
        return 0;
    }
    if (call->flags) {
        unsigned long long flags = argument_of(&registers, call->kind == BY_PATH ? 1 : 2);
        if ((flags & (O_CREAT | O_TRUNC)) == 0) return 0;
    }
    last_name = call->name;
    if (++counted == kill_at) return 1;
    if (fail_from > 0 && call->kind >= BY_FILE) {
        char path[PATH_MAX];
        path_of(pid, call, &registers, path);
        if (!is_in_folder(path)) return 0;
        ++on_disk;
        int fails = on_disk >= fail_from && on_disk <= fail_until;
        if (image != NULL && (call->number == SYS_fsync || call->number == SYS_fdatasync)) picture(path, fails);
        if (fails) answer(pid, &registers, -fail_with);
        failed += fails;
    }
    return 0;
}

static void remember(pid_t pid) {
    for (int i = 0; i < tracee_count; ++i)
        if (tracees[i] == pid) return;
    if (tracee_count == TRACEES) die("too many processes");
    tracees[tracee_count++] = pid;
}

static void forget(pid_t pid) {
    for (int i = 0; i < tracee_count; ++i)
        if (tracees[i] == pid) tracees[i--] = tracees[--tracee_count];
}

/* Returns when the last of them is gone, also those that were just being started. */
static void cut_power(void) {
    pid_t pid;
    int status;
    for (int i = 0; i < tracee_count; ++i)
        kill(tracees[i], SIGKILL);
    while ((pid = waitpid(-1, &status, __WALL)) > 0)
        if (WIFSTOPPED(status)) kill(pid, SIGKILL);
}

static void write_report(const char* name, int died) {
    FILE* file = fopen(name, "w");
    if (file == NULL) die(name);
    fprintf(file, "%ld %s %d %ld\n", counted, last_name, died, failed);
    if (fclose(file) != 0) die(name);
}

/* Runs until the program has ended. Returns its wait status, or -1 if its power was cut. */
static int trace(pid_t child) {
    int status, result = 0, started = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, __WALL)) > 0) {
        if (!WIFSTOPPED(status)) {
            forget(pid);
            if (pid == child) result = status;
            continue;
        }
        remember(pid);
        if (!started) {
            long options = PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                           PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP;
            if (ptrace(PTRACE_SETOPTIONS, pid, 0, options) != 0) die("PTRACE_SETOPTIONS");
            started = 1;
        }
        int event = status >> 16;
        unsigned long index = 0;
        if (event == PTRACE_EVENT_SECCOMP && ptrace(PTRACE_GETEVENTMSG, pid, 0, &index) == 0 && index < CALLS &&
            decide(pid, &calls[index])) {
            cut_power();
            return -1;
        }
        /* A new process begins with a SIGSTOP that is not its own; none of these programs uses one. */
        int signal = event != 0 || WSTOPSIG(status) == SIGSTOP ? 0 : WSTOPSIG(status);
        ptrace(PTRACE_CONT, pid, 0, signal); /* fails if it has just been killed, which waitpid tells */
    }
    return result;
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
    int status = trace(launch(arguments + at));
    write_report(arguments[1], status == -1);
    if (status == -1) return 128 + SIGKILL;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
