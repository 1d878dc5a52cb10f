#define _GNU_SOURCE
#include "tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
#error "The registers of this processor are not known here."
#endif

enum { TRACEES = 1024, MOST_CALLS = 128 };

static struct {
    pid_t thread;
    int number;
    int until_end;
} tracees[TRACEES];
static int tracee_count, begun;

void die(const char* what) {
    fprintf(stderr, "tracer: %s: %s\n", what, strerror(errno));
    exit(125);
}

/* --- the program's side --- */

/* Installs the filter that stops at the calls, in the program and in whatever it starts. */
static void install_filter(const long* numbers, int count) {
    struct sock_filter code[4 + 2 * MOST_CALLS];
    unsigned short at = 0;
    if (count > MOST_CALLS) die("too many calls");
    code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; numbers != NULL && i < count; ++i) {
        code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i], 0, 1);
        code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    unsigned rest = numbers == NULL ? SECCOMP_RET_TRACE : SECCOMP_RET_ALLOW;
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, rest);
    struct sock_fprog program = {.len = at, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        die("the filter");
}

pid_t launch(char** arguments, const long* numbers, int count) {
    pid_t child = fork();
    if (child < 0) die("fork");
    if (child > 0) return child;
    if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) die("PTRACE_TRACEME");
    raise(SIGSTOP);
    install_filter(numbers, count);
    execvp(arguments[0], arguments);
    die(arguments[0]);
}

/* --- the tool's side --- */

static int index_of(pid_t thread) {
    for (int i = 0; i < tracee_count; ++i)
        if (tracees[i].thread == thread) return i;
    return -1;
}

int number_of(pid_t thread) {
    int index = index_of(thread);
    return index < 0 ? 0 : tracees[index].number;
}

static void remember(pid_t thread) {
    if (index_of(thread) >= 0) return;
    if (tracee_count == TRACEES) die("too many threads");
    tracees[tracee_count].thread = thread;
    tracees[tracee_count].until_end = 0;
    tracees[tracee_count++].number = ++begun;
}

static void forget(pid_t thread) {
    int index = index_of(thread);
    if (index >= 0) tracees[index] = tracees[--tracee_count];
}

/* Lets a thread run, to the end of its call if that was asked for. */
static void resume(pid_t thread, int signal) {
    int index = index_of(thread);
    int until_end = index >= 0 && tracees[index].until_end;
    ptrace(until_end ? PTRACE_SYSCALL : PTRACE_CONT, thread, 0, signal); /* fails if it has just been killed */
}

enum stop stop_of(pid_t thread, int status) {
    if (!WIFSTOPPED(status)) {
        forget(thread);
        return ENDED;
    }
    remember(thread);
    if (begun == 1) {
        long options = PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
                       PTRACE_O_TRACEEXEC | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD;
        if (ptrace(PTRACE_SETOPTIONS, thread, 0, options) != 0 && errno != ESRCH) die("PTRACE_SETOPTIONS");
    }
    int event = status >> 16, signal = WSTOPSIG(status);
    if (event == PTRACE_EVENT_SECCOMP) return CALL_BEGINS;
    if (signal == (SIGTRAP | 0x80)) return CALL_ENDS;
    /* A new thread begins with a SIGSTOP that is not its own; none of these programs uses one. */
    resume(thread, event != 0 || signal == SIGSTOP ? 0 : signal);
    return GOES_ON;
}

void go_on(pid_t thread, int until_end) {
    int index = index_of(thread);
    if (index >= 0) tracees[index].until_end = until_end;
    resume(thread, 0);
}

void kill_all(void) {
    pid_t thread;
    int status;
    for (int i = 0; i < tracee_count; ++i)
        kill(tracees[i].thread, SIGKILL);
    while ((thread = waitpid(-1, &status, __WALL)) > 0)
        if (WIFSTOPPED(status)) kill(thread, SIGKILL);
}

int read_registers(pid_t thread, struct user_regs_struct* registers) {
    return ptrace(PTRACE_GETREGS, thread, 0, registers) == 0;
}

unsigned long long argument_of(const struct user_regs_struct* registers, int index) {
    const unsigned long long all[] = {registers->rdi, registers->rsi, registers->rdx,
                                      registers->r10, registers->r8,  registers->r9};
    return all[index];
}

void answer(pid_t thread, struct user_regs_struct* registers, long value) {
    registers->orig_rax = (unsigned long long)-1;
    registers->rax = (unsigned long long)value;
    if (ptrace(PTRACE_SETREGS, thread, 0, registers) != 0 && errno != ESRCH) die("PTRACE_SETREGS");
}

void answer_otherwise(pid_t thread, long value) {
    struct user_regs_struct registers;
    if (!read_registers(thread, &registers)) return;
    registers.rax = (unsigned long long)value;
    if (ptrace(PTRACE_SETREGS, thread, 0, &registers) != 0 && errno != ESRCH) die("PTRACE_SETREGS");
}

/* --- where a call leads --- */

size_t read_memory(pid_t thread, unsigned long long address, void* bytes, size_t size) {
    struct iovec here = {bytes, size};
    struct iovec there = {(void*)address, size};  // NOLINT: an address of the other process
    ssize_t got = process_vm_readv(thread, &here, 1, &there, 1, 0);
    return got < 0 ? 0 : (size_t)got;
}

static void read_text(pid_t thread, unsigned long long address, char* text, size_t size) {
    size_t length = 0;
    /* Reads page by page: what follows the text may not be there. */
    while (length < size - 1) {
        size_t piece = 4096 - (address + length) % 4096;
        if (piece > size - 1 - length) piece = size - 1 - length;
        size_t got = read_memory(thread, address + length, text + length, piece);
        if (got == 0) break;
        length += got;
        if (memchr(text, 0, length) != NULL) return;
    }
    text[length] = 0;
}

static void read_link(const char* name, char* path) {
    ssize_t length = readlink(name, path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = 0;
}

void path_of(pid_t thread, enum place place, int index, const struct user_regs_struct* registers, char* path) {
    char name[64], base[PATH_MAX], relative[PATH_MAX];
    int number = (int)argument_of(registers, index);
    if (place == BY_FILE) {
        snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)thread, number);
        read_link(name, path);
        return;
    }
    if (place == BY_FOLDER_AND_PATH) ++index;
    read_text(thread, argument_of(registers, index), relative, sizeof relative);
    base[0] = 0;
    if (relative[0] != '/') {
        if (place == BY_FOLDER_AND_PATH && number != AT_FDCWD)
            snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)thread, number);
        else
            snprintf(name, sizeof name, "/proc/%d/cwd", (int)thread);
        read_link(name, base);
        if (relative[0] != 0) strncat(base, "/", sizeof base - strlen(base) - 1);
    }
    snprintf(path, PATH_MAX, "%.*s%.*s", PATH_MAX / 2 - 1, base, PATH_MAX / 2 - 1, relative);
}
