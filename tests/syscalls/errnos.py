"""Has the errnos that each system call of the gateway can fail with, from the manual pages of Linux (man-pages 6.03,
Debian's manpages-dev)."""
import collections
import errno
import gzip
import os
import pathlib
import re

# A row has the manual page of a call, and for each kind of this call the errnos that the kernel can give. All others of
# the page stand in `never`, for the reason that the comment above the row says.
Row = collections.namedtuple("Row", "page gives never", defaults=[""])

# The gateway passes open descriptors, valid addresses and valid arguments, its paths are short, and its sizes have 64
# bits. ENOSYS says that a kernel is too old.
NEVER = {"EBADF", "EFAULT", "EINVAL", "ENAMETOOLONG", "ENOSYS", "ENOTSOCK", "ENOTTY", "EOVERFLOW"}
# A socket or a pipe that was told to be ready is ready. Where the kernel gives EAGAIN, another event follows.
_READY = "EAGAIN "
_PATH = "EACCES ELOOP ENOENT ENOMEM ENOTDIR"
_PATH_CHANGES = "EACCES EIO ELOOP ENOENT ENOMEM ENOTDIR EPERM EROFS"
_STREAM = "ECONNRESET ETIMEDOUT EHOSTUNREACH"  # these are from tcp(7), ip(7) and send(2)
_ALL_DESCRIPTORS = "EMFILE ENFILE"

TABLE = {
    # It is a stream of this kernel, and only tracers see ERESTARTSYS.
    "accept": Row("accept", {"": f"ECONNABORTED EINTR {_ALL_DESCRIPTORS} ENOBUFS ENOMEM EPERM EPROTO ETIMEDOUT"},
                  _READY + "EOPNOTSUPP ENOSR ESOCKTNOSUPPORT EPROTONOSUPPORT ERESTARTSYS EWOULDBLOCK"),
    # It asks whether a file is there, or may be read.
    "access": Row("access", {"": f"EIO {_PATH}"}, "EPERM EROFS ETXTBSY"),
    # It sets the register that threads' data are found with.
    "arch_prctl": Row("arch_prctl", {"": ""}, "ENODEV EPERM"),
    # It binds an address of the network, not a name.
    "bind": Row("bind", {"": "EACCES EADDRINUSE EADDRNOTAVAIL"},
                "ELOOP ENOENT ENOMEM ENOTDIR EROFS"),
    # The call itself returns the old break, and the C library makes ENOMEM of that.
    "brk": Row("brk", {"": ""}),
    # It makes a thread, in no new namespace or group.
    "clone3": Row("clone", {"": "EAGAIN ENOMEM"},
                  "EACCES EBUSY EEXIST ENOSPC EUSERS EOPNOTSUPP EPERM ERESTARTNOINTR"),
    "close": Row("close", {"file": "EDQUOT EINTR EIO ENOSPC", "": "EINTR"}),
    # It connects a non-blocking stream for the first time.
    "connect": Row("connect",
                   {"": "EACCES EADDRINUSE EADDRNOTAVAIL EAGAIN ECONNREFUSED ENETUNREACH EPERM ETIMEDOUT"},
                   "EAFNOSUPPORT EALREADY EINPROGRESS EINTR EISCONN EPROTOTYPE"),
    "epoll_create1": Row("epoll_create", {"": f"{_ALL_DESCRIPTORS} ENOMEM"}),
    # Only an addition takes memory. The gateway adds sockets, pipes and timers, each once. Asio ignores that it cannot
    # add the event that wakes it: such a start hangs until the service manager ends it. That is known.
    "epoll_ctl": Row("epoll_ctl", {"add": "ENOMEM ENOSPC", "": ""}, "EEXIST ELOOP ENOENT EPERM"),
    "epoll_wait": Row("epoll_wait", {"": "EINTR"}),
    "eventfd2": Row("eventfd", {"": f"{_ALL_DESCRIPTORS} ENODEV ENOMEM"}),
    # The program that starts the gateway makes this call.
    "execve": Row("execve", {"": ""}, "E2BIG EACCES EAGAIN EIO EISDIR ELIBBAD ELOOP ENOEXEC EMFILE "
                  "ENFILE ENOENT ENOMEM ENOTDIR EPERM ETXTBSY"),
    "exit": Row("exit", {"": ""}),
    "exit_group": Row("exit_group", {"": ""}),
    # It is a plain file, and nobody runs or seals it.
    "fallocate": Row("fallocate", {"": "EFBIG EINTR EIO ENOSPC EOPNOTSUPP"}, "ENODEV EPERM ESPIPE ETXTBSY"),
    "fchown": Row("chown", {"": "EIO EPERM EROFS"}, "EACCES ELOOP ENOENT ENOMEM ENOTDIR"),
    # The last ones are about leases, pipes and seals. A lock that does not wait meets no dead-lock. To give back a lock
    # takes no memory, and no time on a local disk.
    "fcntl": Row("fcntl", {"lock": "EACCES EAGAIN EINTR ENOLCK", "": ""},
                 "EBUSY EDEADLK EMFILE ENOTDIR EPERM"),
    # EROFS is about a special file.
    "fdatasync": Row("fdatasync", {"": "EDQUOT EINTR EIO ENOSPC"}, "EROFS"),
    "flock": Row("flock", {"": "EINTR ENOLCK EWOULDBLOCK"}),
    "fstat": Row("stat", {"": "ENOMEM"}, "EACCES ELOOP ENOENT ENOTDIR"),
    "fsync": Row("fsync", {"": "EDQUOT EINTR EIO ENOSPC"}, "EROFS"),
    # The file is open for writing, and nobody runs or seals it.
    "ftruncate": Row("truncate", {"": "EFBIG EINTR EIO"},
                     "EACCES EISDIR ELOOP ENOENT ENOTDIR EPERM EROFS ETXTBSY"),
    # A wait may end early. The others are about robust lists and priorities.
    "futex": Row("futex", {"wait": "EAGAIN EINTR", "": ""},
                 "EACCES EDEADLK ENFILE ENOMEM EPERM ESRCH ETIMEDOUT EWOULDBLOCK"),
    "getcwd": Row("getcwd", {"": "EACCES ENOENT ENOMEM"}, "ERANGE"),
    "getdents64": Row("getdents", {"": "ENOENT"}, "ENOTDIR"),
    "geteuid": Row("getuid", {"": ""}),
    "getuid": Row("getuid", {"": ""}),
    "getegid": Row("getgid", {"": ""}),
    "getgid": Row("getgid", {"": ""}),
    # The gateway reads the groups, and does not set them.
    "getgroups": Row("getgroups", {"": ""}, "ENOMEM EPERM"),
    "getpid": Row("getpid", {"": ""}),
    "gettid": Row("gettid", {"": ""}),
    "getppid": Row("getpid", {"": ""}),
    "getrandom": Row("getrandom", {"": "EAGAIN EINTR"}),
    "getpeername": Row("getpeername", {"": "ENOBUFS ENOTCONN"}),
    "getsockname": Row("getsockname", {"": "ENOBUFS"}),
    "getsockopt": Row("getsockopt", {"": ""}, "ENOPROTOOPT"),
    "ioctl": Row("ioctl", {"": ""}),
    "kill": Row("kill", {"": ""}, "EPERM ESRCH"),
    "link": Row("link", {"": _PATH_CHANGES + " EDQUOT EEXIST EMLINK ENOSPC EXDEV"}),
    # The socket is a bound stream.
    "listen": Row("listen", {"": "EADDRINUSE"}, "EOPNOTSUPP"),
    # It is a plain file.
    "lseek": Row("lseek", {"": ""}, "ENXIO ESPIPE"),
    # EINVAL says that the kernel was built without this advice.
    "madvise": Row("madvise", {"": "EAGAIN EINVAL EIO ENOMEM"}, "EACCES EBUSY EPERM"),
    "mkdir": Row("mkdir", {"": "EACCES EDQUOT EEXIST ELOOP EMLINK ENOENT ENOMEM ENOSPC ENOTDIR EPERM EROFS"}),
    # The file is open in the mode that is asked for, and nobody writes it.
    "mmap": Row("mmap", {"file": "EAGAIN ENFILE ENODEV ENOMEM EPERM", "": "EAGAIN ENOMEM"},
                "EACCES EEXIST ENOEXEC ETXTBSY"),
    "mprotect": Row("mprotect", {"": "EACCES ENOMEM"}),
    "munmap": Row("munmap", {"": "ENOMEM"}, "EACCES EAGAIN EEXIST ENFILE ENODEV ENOEXEC EPERM ETXTBSY"),
    "newfstatat": Row("stat", {"file": "ENOMEM", "": _PATH}),
    # These are no devices, no other file systems and no programs; O_NONBLOCK and O_TMPFILE are not used.
    "openat": Row("open", {"read": f"{_PATH} {_ALL_DESCRIPTORS} EINTR EPERM",
                           "write": f"{_PATH} {_ALL_DESCRIPTORS} EINTR EISDIR EPERM EROFS",
                           "create": f"{_PATH} {_ALL_DESCRIPTORS} EDQUOT EEXIST EINTR EISDIR ENOSPC EPERM EROFS"},
                  "EBUSY EFBIG ENODEV ENXIO EOPNOTSUPP ETXTBSY EWOULDBLOCK"),
    "pipe2": Row("pipe", {"": _ALL_DESCRIPTORS}, "ENOPKG"),
    "poll": Row("poll", {"": "EINTR ENOMEM"}),
    # It sets attributes that every process may set.
    "prctl": Row("prctl", {"": ""}, "EACCES EBUSY ENODEV ENXIO EOPNOTSUPP EPERM ERANGE"),
    "pread64": Row("read", {"": "EINTR EIO"}, "EAGAIN EISDIR EWOULDBLOCK"),
    "prlimit64": Row("getrlimit", {"change": "EPERM", "": ""}, "ESRCH"),
    # EPERM is about a seal.
    "pwrite64": Row("write", {"": "EDQUOT EFBIG EINTR EIO ENOSPC"}, "EAGAIN EDESTADDRREQ EPERM EPIPE EWOULDBLOCK"),
    # The pipe is the gateway's own: both ends are open, and to write a byte never waits.
    "read": Row("read", {"file": "EINTR EIO", "": ""}, _READY + "EISDIR EWOULDBLOCK"),
    "readlink": Row("readlink", {"": f"EIO {_PATH}"}),
    "recvfrom": Row("recv", {"": f"ECONNREFUSED EINTR ENOMEM {_STREAM}"}, _READY + "ENOTCONN EWOULDBLOCK"),
    # The two names are in one folder, and both are files.
    "rename": Row("rename", {"": "EACCES EDQUOT ELOOP ENOENT ENOMEM ENOSPC ENOTDIR EPERM EROFS"},
                  "EBUSY EEXIST EISDIR EMLINK ENOTEMPTY EXDEV"),
    "renameat2": Row("rename", {"": "EACCES EDQUOT EEXIST ELOOP ENOENT ENOMEM ENOSPC ENOTDIR EPERM EROFS"},
                     "EBUSY EISDIR EMLINK ENOTEMPTY EXDEV"),
    "rseq": Row(None, {"": ""}),
    "rt_sigaction": Row("sigaction", {"": ""}),
    "rt_sigprocmask": Row("sigprocmask", {"": ""}),
    "rt_sigreturn": Row("sigreturn", {"": ""}),
    "sched_getaffinity": Row("sched_getaffinity", {"": ""}, "EPERM ESRCH"),
    # It is about a thread of its own.
    "sched_setscheduler": Row("sched_setscheduler", {"": "EPERM"}, "ESRCH"),
    # It is a connected stream.
    "sendto": Row("send", {"": f"EINTR ENOBUFS ENOMEM ENOTCONN EPIPE {_STREAM}"},
                  _READY + "EACCES EALREADY EDESTADDRREQ EISCONN EMSGSIZE EOPNOTSUPP EWOULDBLOCK"),
    "set_robust_list": Row("set_robust_list", {"": ""}, "EPERM ESRCH"),
    "set_tid_address": Row("set_tid_address", {"": ""}),
    "setfsgid": Row("setfsgid", {"": ""}),
    "setfsuid": Row("setfsuid", {"": ""}),
    "setsockopt": Row("setsockopt", {"": "ENOPROTOOPT"}),
    "shutdown": Row("shutdown", {"": "ENOTCONN"}),
    "sigaltstack": Row("sigaltstack", {"": ""}, "ENOMEM EPERM"),
    # Every kernel knows these protocols, but perhaps not IPv6.
    "socket": Row("socket", {"": f"EACCES EAFNOSUPPORT {_ALL_DESCRIPTORS} ENOBUFS ENOMEM"}, "EPROTONOSUPPORT"),
    "statfs": Row("statfs", {"": f"EINTR EIO {_PATH}"}),
    "statx": Row("statx", {"file": "ENOMEM", "": _PATH}),
    "sysinfo": Row("sysinfo", {"": ""}),
    # The clock is that of the machine's running, and nobody cancels it.
    "timerfd_create": Row("timerfd_create", {"": f"{_ALL_DESCRIPTORS} ENODEV ENOMEM"}, "EPERM ECANCELED"),
    "timerfd_settime": Row("timerfd_create", {"": ""}, f"{_ALL_DESCRIPTORS} ENODEV ENOMEM EPERM ECANCELED"),
    "umask": Row("umask", {"": ""}),
    "uname": Row("uname", {"": ""}),
    "unlink": Row("unlink", {"": _PATH_CHANGES + " EBUSY"}, "EISDIR"),
    # It writes to the same pipe, or to the log, which is a file here.
    "write": Row("write", {"file": "EDQUOT EFBIG EINTR EIO ENOSPC", "": ""},
                 _READY + "EDESTADDRREQ EPERM EPIPE EWOULDBLOCK"),
}  # fmt: skip
# These are the pages to which a page refers for further errnos.
_FURTHER = {"recv": ["tcp", "ip", "send"], "send": ["tcp", "ip"], "accept": ["tcp"], "fcntl": []}


def kind_of(call):
    """Returns which of its row's kinds a call is."""
    one, two, three = call.arguments
    is_file = not call.object.startswith(("[", "-", "socket", "pipe", "wait", "wake"))
    if call.name in ("read", "write", "close", "mmap") and is_file:
        return "file"
    if call.name in ("newfstatat", "statx") and one < 1 << 31:  # by a descriptor, not AT_FDCWD
        return "file"
    if call.name == "fcntl" and call.object.endswith((":read", ":write")):
        return "lock"
    if call.name == "epoll_ctl" and call.object.endswith(":add"):
        return "add"
    if call.name == "futex":
        return call.object
    if call.name == "prlimit64" and three != 0:
        return "change"
    if call.name == "openat":
        return "create" if three & os.O_CREAT else "write" if three & (os.O_WRONLY | os.O_RDWR) else "read"
    return ""


def errnos_of(call):
    """Returns the errnos that the kernel can give for a call."""
    gives = TABLE[call.name].gives
    return gives[kind_of(call) if kind_of(call) in gives else ""].split()


def pages_are_here():
    return pathlib.Path("/usr/share/man/man2/fsync.2.gz").exists()


def _page(name):
    for section in (2, 7):
        path = pathlib.Path(f"/usr/share/man/man{section}/{name}.{section}.gz")
        if path.exists():
            text = gzip.open(path, "rt", errors="replace").read()
            other = re.match(r"\.so man\d/(\w+)", text)
            return _page(other[1]) if other else text
    raise AssertionError(f"there is no page {name}")


def _errnos_in(text):
    words = set(re.findall(r"\bE[A-Z0-9]{2,}\b", text.replace("EDEADLOCK", "EDEADLK")))
    return {word for word in words if hasattr(errno, word) or word.startswith("ERESTART")}


def differences_from_the_pages():
    """Returns what the table says otherwise than the manual pages, in words."""
    found = []
    for name, row in TABLE.items():
        gives, never = set(" ".join(row.gives.values()).split()), set(row.never.split())
        if row.page is None:
            continue
        text = _page(row.page)
        section = re.search(r"^\.SH ERRORS\n(.*?)(?=^\.SH )", text, re.DOTALL | re.MULTILINE)
        listed = _errnos_in(section[1]) if section else set()
        known = _errnos_in("".join([text, *map(_page, _FURTHER.get(row.page, []))]))
        found += [f"{name}: {one} is not in {row.page}" for one in sorted(gives - known)]
        found += [f"{name}: {one} of {row.page} is missing" for one in sorted(listed - gives - never - NEVER)]
        found += [f"{name}: {one} is both given and not" for one in sorted(gives & never)]
        found += [f"{name}: {one} need not be named" for one in sorted(never - listed)]
    return found
