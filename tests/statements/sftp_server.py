"""This is Debian's sshd as a process without privileges, which lets one key see one folder; and the commands of the
example units as systemd would run them."""
import getpass
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import tempfile

from harness.gate import Gate
from harness.processes import ROOT, Process
from harness.waiting import eventually

EXAMPLES = ROOT / "systemd/examples"


def make_key(file):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(file)], check=True)


class SftpServer:
    """Lists and gives what is in `outgoing` to the owner of `key`. A network that can be made to lie stands before
    it."""

    def __init__(self):
        # The folder is not below pytest's own, which lets nobody else in.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="statements-"))
        self.folder.chmod(0o755)
        self.outgoing = self.folder / "outgoing"
        self.outgoing.mkdir()
        self.key = self.folder / "key"
        make_key(self.key)
        as_root = os.getuid() == 0
        # Every Debian has this user; "nobody" is locked wherever systemd makes up its entry.
        self.user = "games" if as_root else getpass.getuser()
        self.drop = ["setpriv", "--reuid=games", "--regid=games", "--clear-groups"] if as_root else []
        self.process = None
        self.gate = Gate()
        self.start()

    def start(self):
        """Starts it with another host key than before."""
        host_key = self.folder / "host_key"
        host_key.unlink(missing_ok=True)
        (self.folder / "host_key.pub").unlink(missing_ok=True)
        make_key(host_key)
        if self.drop:
            shutil.chown(host_key, self.user)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        settings = {
            "ListenAddress": f"127.0.0.1:{port}",
            "HostKey": host_key,
            "AuthorizedKeysFile": f"{self.key}.pub",
            "StrictModes": "no",
            "AuthenticationMethods": "publickey",
            "UsePAM": "no",
            "PidFile": "none",
            "Subsystem": "sftp internal-sftp",
            "ForceCommand": "internal-sftp -R",
        }
        file = self.folder / "sshd_config"
        file.write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        self.process = Process([*self.drop, "/usr/sbin/sshd", "-D", "-e", "-f", str(file)], self.folder, "sshd")
        self.gate.target = ("127.0.0.1", port)
        eventually(lambda: "listening" in self.process.errors(), "sshd listens")

    def put(self, name, data):
        (self.outgoing / name).write_bytes(data)

    def host_keys(self):
        """Returns the host's keys as the example's own command asks for them."""
        done = subprocess.run(["ssh-keyscan", "-p", str(self.gate.address[1]), "127.0.0.1"], capture_output=True,
                              text=True, check=True)
        return done.stdout

    def close(self):
        self.gate.close()
        self.process.kill()
        shutil.rmtree(self.folder)


class Unit:
    """This is a service of the examples: it is what systemd reads in it, with these texts in the place of others."""

    def __init__(self, name, replaced):
        self.text = (EXAMPLES / name).read_text()
        for old, new in replaced.items():
            assert old in self.text, old
            self.text = self.text.replace(old, str(new))

    def values(self, name):
        """Returns the values of a setting: lines are joined, and %% stands for a %."""
        joined = self.text.replace("\\\n", " ").replace("%%", "%")
        return [line.split("=", 1)[1] for line in joined.splitlines() if line.startswith(f"{name}=")]

    def environment(self):
        return dict(word.split("=", 1) for line in self.values("Environment") for word in shlex.split(line))

    def run(self, environment, before=None):
        """Returns the exit code and the output of each command until one fails."""
        said = ""
        for line in self.values("ExecStart"):
            done = subprocess.run(shlex.split(line), env=environment, capture_output=True, text=True, check=False,
                                  stdin=subprocess.DEVNULL, preexec_fn=before)
            said += done.stdout + done.stderr
            if done.returncode != 0:
                return done.returncode, said
        return 0, said
