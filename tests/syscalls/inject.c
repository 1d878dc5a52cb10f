/* This runs a program, and makes one of its system calls fail, or ends it there.
 *
 *   inject CONTROL CALLS PROGRAM [ARGUMENT...]
 *
 * CALLS has the numbers of the calls that it looks at, or is "all"; others cost nothing. CONTROL is the number of a
 * socket. Each line that comes there is a command:
 *
 *   list                                      from now on, notes every call
 *   arm THREAD CALL OBJECT NTH ACTION VALUE   from now on, counts the calls of this number that this thread makes to
 *                                             this object, and does something at the NTH one, or at each where NTH is 0
 *   image FOLDER IMAGE                        from now on, the folder IMAGE has what may be on FOLDER's disk
 *   go                                        does nothing
 *   rest                                      does none of this any more, and answers with what was noted
 *
 * The program starts when the first command has come. Where it ends by itself, the answer of `rest` comes unasked. It
 * is a line "THREAD CALL ARGUMENT ARGUMENT ARGUMENT OBJECT" for each call that was noted, then "end HITS STATUS": how
 * often something was done, and how the program has ended, as for a shell, or -1.
 *
 * ACTION is
 *   fail    the call is not carried out, and fails with the errno VALUE
 *   spoil   the call is carried out, and fails with the errno VALUE
 *   lie     the call is not carried out, and returns VALUE
 *   before  everything is killed before the call is carried out
 *   after   everything is killed when the call has been carried out
 *   stop    the thread waits there for ever
 *
 * SIGTERM, SIGINT and SIGHUP are passed on to the program. */
#define _GNU_SOURCE
#include "disk_image.h"
#include "tracer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Says where calls lead. All others lead nowhere. */
static const struct {
    int number;
    enum place place;
    int argument;
} leads[] = {
    {SYS_read, BY_FILE, 0}, {SYS_write, BY_FILE, 0}, {SYS_open, BY_PATH, 0}, {SYS_close, BY_FILE, 0},
    {SYS_stat, BY_PATH, 0}, {SYS_fstat, BY_FILE, 0}, {SYS_lstat, BY_PATH, 0}, {SYS_lseek, BY_FILE, 0},
    {SYS_ioctl, BY_FILE, 0}, {SYS_pread64, BY_FILE, 0}, {SYS_pwrite64, BY_FILE, 0}, {SYS_readv, BY_FILE, 0},
    {SYS_writev, BY_FILE, 0}, {SYS_access, BY_PATH, 0}, {SYS_connect, BY_FILE, 0}, {SYS_accept, BY_FILE, 0},
    {SYS_sendto, BY_FILE, 0}, {SYS_recvfrom, BY_FILE, 0}, {SYS_sendmsg, BY_FILE, 0}, {SYS_recvmsg, BY_FILE, 0},
    {SYS_shutdown, BY_FILE, 0}, {SYS_bind, BY_FILE, 0}, {SYS_listen, BY_FILE, 0}, {SYS_getsockname, BY_FILE, 0},
    {SYS_getpeername, BY_FILE, 0}, {SYS_setsockopt, BY_FILE, 0}, {SYS_getsockopt, BY_FILE, 0},
    {SYS_fcntl, BY_FILE, 0}, {SYS_flock, BY_FILE, 0}, {SYS_fsync, BY_FILE, 0}, {SYS_fdatasync, BY_FILE, 0},
    {SYS_ftruncate, BY_FILE, 0}, {SYS_getdents64, BY_FILE, 0}, {SYS_rename, BY_PATH, 1}, {SYS_mkdir, BY_PATH, 0},
    {SYS_rmdir, BY_PATH, 0}, {SYS_link, BY_PATH, 1}, {SYS_unlink, BY_PATH, 0}, {SYS_readlink, BY_PATH, 0},
    {SYS_fchmod, BY_FILE, 0}, {SYS_fchown, BY_FILE, 0}, {SYS_statfs, BY_PATH, 0}, {SYS_fstatfs, BY_FILE, 0},
    {SYS_epoll_wait, BY_FILE, 0}, {SYS_epoll_ctl, BY_FILE, 2}, {SYS_openat, BY_FOLDER_AND_PATH, 0},
    {SYS_newfstatat, BY_FOLDER_AND_PATH, 0}, {SYS_unlinkat, BY_FOLDER_AND_PATH, 0}, {SYS_statx, BY_FOLDER_AND_PATH, 0},
    {SYS_renameat, BY_FOLDER_AND_PATH, 2}, {SYS_renameat2, BY_FOLDER_AND_PATH, 2}, {SYS_fallocate, BY_FILE, 0},
    {SYS_timerfd_settime, BY_FILE, 0}, {SYS_accept4, BY_FILE, 0}, {SYS_mmap, BY_FILE, 4}, {SYS_execve, BY_PATH, 0},
    {SYS_faccessat2, BY_FOLDER_AND_PATH, 0}, {SYS_fadvise64, BY_FILE, 0}, {SYS_chmod, BY_PATH, 0},
};

enum action { FAIL, SPOIL, LIE, BEFORE, AFTER, STOP };
static const char* const action_names[] = {"fail", "spoil", "lie", "before", "after", "stop"};

static struct {
    int thread;
    long call;
    char object[PATH_MAX];
    long nth;
    enum action action;
    long value;
} wanted;
static int is_armed, is_listing;
static long met, hits;
static char folder[PATH_MAX], image[PATH_MAX], here[PATH_MAX];
static char* notes;
static size_t notes_length, notes_room;
static int control;
static pid_t program;

/* --- what a call is about --- */

/* Leaves out what differs from run to run: the number of a socket, the store's folder, and the program's own number. */
static void shorten(char* object) {
    static const char anonymous[] = "anon_inode:";
    char own[16];
    size_t length = strlen(here), digits = (size_t)sprintf(own, "-%d", (int)program);
    if (strncmp(object, anonymous, sizeof anonymous - 1) == 0)
        memmove(object, object + sizeof anonymous - 1, strlen(object) - sizeof anonymous + 2);
    else if (strncmp(object, "socket:", 7) == 0 || strncmp(object, "pipe:", 5) == 0)
        *strchr(object, ':') = 0;
    else if (strncmp(object, here, length) == 0 && object[length] == '/')
        memmove(object, object + length + 1, strlen(object) - length);
    else if (strcmp(object, here) == 0)
        strcpy(object, ".");
    char* const named = strstr(object, own);
    if (named != NULL && digits > 2) {
        memmove(named + 2, named + digits, strlen(named + digits) + 1);
        named[1] = '#';
    }
    for (char* at = object; *at != 0; ++at)
        if (*at <= ' ') *at = '?';
}

/* Says of some calls what they do to it, because that decides how they can fail. */
static void name_deed(pid_t thread, const struct user_regs_struct* registers, char* object) {
    static const char* const locks[] = {":read", ":write", ":unlock"};
    int command = (int)registers->rsi;
    short type = -1;
    if (registers->orig_rax == SYS_futex)
        strcpy(object, (command & 127) == FUTEX_WAIT || (command & 127) == FUTEX_WAIT_BITSET ? "wait" : "wake");
    if (registers->orig_rax == SYS_epoll_ctl && command == EPOLL_CTL_ADD) strcat(object, ":add");
    if (registers->orig_rax != SYS_fcntl) return;
    if (command != F_SETLK && command != F_SETLKW && command != F_OFD_SETLK && command != F_OFD_SETLKW) return;
    read_memory(thread, registers->rdx, &type, sizeof type);
    if (type >= F_RDLCK && type <= F_UNLCK) strcat(object, locks[type]);
}

static void object_of(pid_t thread, const struct user_regs_struct* registers, char* object) {
    strcpy(object, "-");
    for (size_t i = 0; i < sizeof leads / sizeof leads[0]; ++i) {
        if (leads[i].number != (int)registers->orig_rax) continue;
        if (leads[i].place == BY_FILE && (int)argument_of(registers, leads[i].argument) < 0) break;
        path_of(thread, leads[i].place, leads[i].argument, registers, object);
        if (object[0] == 0) strcpy(object, "-");
        shorten(object);
        break;
    }
    name_deed(thread, registers, object);
}

static void note(pid_t thread, const struct user_regs_struct* registers) {
    char object[PATH_MAX];
    object_of(thread, registers, object);
    if (notes_room - notes_length < PATH_MAX + 128) {
        notes_room = 2 * notes_room + 65536;
        if ((notes = realloc(notes, notes_room)) == NULL) die("memory");
    }
    notes_length +=
        (size_t)sprintf(notes + notes_length, "%d %lld %llu %llu %llu %s\n", number_of(thread),
                        (long long)registers->orig_rax, registers->rdi, registers->rsi, registers->rdx, object);
}

static int is_wanted(pid_t thread, const struct user_regs_struct* registers) {
    char object[PATH_MAX];
    if ((long)registers->orig_rax != wanted.call || number_of(thread) != wanted.thread) return 0;
    object_of(thread, registers, object);
    if (strcmp(object, wanted.object) != 0) return 0;
    return ++met == wanted.nth || wanted.nth == 0;
}

/* --- what becomes of it --- */

static void look_at_flush(pid_t thread, const struct user_regs_struct* registers) {
    char path[PATH_MAX];
    if (image[0] == 0 || (registers->orig_rax != SYS_fsync && registers->orig_rax != SYS_fdatasync)) return;
    path_of(thread, BY_FILE, 0, registers, path);
    if (is_in_folder(folder, path)) picture(folder, image, path, 0);
}

/* Does what is wanted of a call that begins, and lets the thread go on. */
static void begin(pid_t thread) {
    struct user_regs_struct registers;
    int is_hit, until_end;
    if ((!is_armed && !is_listing && image[0] == 0) || !read_registers(thread, &registers)) {
        go_on(thread, 0);
        return;
    }
    if (is_listing) note(thread, &registers);
    is_hit = is_armed && is_wanted(thread, &registers);
    until_end = is_hit && (wanted.action == AFTER || wanted.action == SPOIL);
    hits += is_hit && !until_end;
    if (is_hit && wanted.action == STOP) return;
    if (is_hit && wanted.action == BEFORE) {
        kill(program, SIGKILL);
        return;
    }
    if (is_hit && !until_end)
        answer(thread, &registers, wanted.action == FAIL ? -wanted.value : wanted.value);
    else
        look_at_flush(thread, &registers);
    go_on(thread, until_end);
}

/* The same of a call that ends. Where it ends after the window, nothing is wanted any more. */
static void end(pid_t thread) {
    hits += is_armed;
    if (is_armed && wanted.action == AFTER) {
        kill(program, SIGKILL);
        return;
    }
    if (is_armed) answer_otherwise(thread, -wanted.value);
    go_on(thread, 0);
}

/* --- the other side of the socket --- */

static void send_all(const char* bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(control, bytes, length, MSG_NOSIGNAL);
        if (sent < 0) die("the control socket");
        bytes += sent;
        length -= (size_t)sent;
    }
}

static void report(int status) {
    char line[64];
    int length = snprintf(line, sizeof line, "end %ld %d\n", hits, status);
    if (notes_length > 0) send_all(notes, notes_length);
    send_all(line, (size_t)length);
    notes_length = 0;
    is_armed = is_listing = 0;
    image[0] = 0;
}

static void obey(const char* line) {
    char action[16];
    if (strcmp(line, "list") == 0) {
        is_listing = 1;
    } else if (strcmp(line, "rest") == 0) {
        report(-1);
    } else if (strcmp(line, "go") == 0) {
    } else if (sscanf(line, "image %4095s %4095s", folder, image) == 2) {
    } else if (sscanf(line, "arm %d %ld %4095s %ld %15s %ld", &wanted.thread, &wanted.call, wanted.object, &wanted.nth,
                      action, &wanted.value) == 6) {
        for (size_t i = 0; i < sizeof action_names / sizeof action_names[0]; ++i)
            if (strcmp(action, action_names[i]) == 0) wanted.action = (enum action)i;
        is_armed = 1;
        met = hits = 0;
    } else {
        fprintf(stderr, "inject: %s is no command\n", line);
        exit(125);
    }
}

/* Waits for a command, and obeys it. */
static void hear(void) {
    static char line[3 * PATH_MAX];
    static size_t length;
    char letter;
    while (recv(control, &letter, 1, 0) == 1) {
        if (letter == '\n') {
            line[length] = 0;
            length = 0;
            obey(line);
            return;
        }
        if (length < sizeof line - 1) line[length++] = letter;
    }
    exit(125); /* the other side is gone, and the program with it */
}

/* Obeys every command that was sent before now. A call that the program makes because of a later request thus meets all
 * of them, however late this process runs. */
static void hear_all(void) {
    struct pollfd socket = {.fd = control, .events = POLLIN};
    while (poll(&socket, 1, 0) > 0)
        hear();
}

/* Starts the program, which stops at the calls that `text` names. */
static pid_t start(char* text, char** arguments) {
    static long numbers[16];
    int count = 0;
    if (strcmp(text, "all") == 0) return launch(arguments, NULL, 0);
    for (char* one = strtok(text, ","); one != NULL && count < 16; one = strtok(NULL, ","))
        numbers[count++] = strtol(one, NULL, 10);
    return launch(arguments, numbers, count);
}

static void pass_on(int signal) {
    kill(program, signal);
}
static void nothing(int signal) {
    (void)signal;
}

int main(int count, char** arguments) {
    sigset_t blocked, as_before;
    int status, result = 0;
    pid_t thread;
    if (count < 4) {
        fprintf(stderr, "inject: there is no program to run\n");
        return 125;
    }
    control = (int)strtol(arguments[1], NULL, 10);
    if (fcntl(control, F_SETFD, FD_CLOEXEC) != 0 || getcwd(here, sizeof here) == NULL) die("the control socket");
    hear();
    program = start(arguments[2], arguments + 3);
    signal(SIGCHLD, nothing);
    signal(SIGTERM, pass_on);
    signal(SIGINT, pass_on);
    signal(SIGHUP, pass_on);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_BLOCK, &blocked, &as_before);
    for (;;) {
        struct pollfd socket = {.fd = control, .events = POLLIN};
        while ((thread = waitpid(-1, &status, __WALL | WNOHANG)) > 0) {
            switch (stop_of(thread, status)) {
            case ENDED:
                if (thread == program) result = status;
                break;
            case CALL_BEGINS:
                hear_all();
                begin(thread);
                break;
            case CALL_ENDS: end(thread); break;
            case GOES_ON: break;
            }
        }
        if (thread < 0) break;
        if (ppoll(&socket, 1, NULL, &as_before) > 0) hear();
    }
    result = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
    report(result);
    return result;
}
