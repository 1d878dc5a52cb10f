"""Self-signed certificates for the listeners' TLS."""
import subprocess


def make_certificate(folder, name):
    """For 127.0.0.1: the paths of the certificate and its key, as PEM."""
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-days", "2", "-subj", f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", str(key), "-out", str(cert)]
    subprocess.run(command, check=True, capture_output=True)
    key.chmod(0o600)
    return cert, key


def openssl(*arguments, data=None):
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, input=data).stdout


def signed(folder, name, authority, subject=None, names=None):
    """A certificate of the authority (its certificate and key), and its key."""
    cert, key, request = folder / f"{name}.pem", folder / f"{name}.key", folder / f"{name}.csr"
    openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
            f"/CN={subject or name}", "-keyout", key, "-out", request)
    more = []
    if names:
        extensions = folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={names}\n")
        more = ["-extfile", extensions]
    openssl("x509", "-req", "-in", request, "-CA", authority[0], "-CAkey", authority[1], "-CAcreateserial", "-days", 2,
            "-out", cert, *more)
    return cert, key


def make_authority(folder, name="authority"):
    """An authority's certificate and key."""
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2, "-subj",
            "/CN=Store", "-keyout", key, "-out", cert)
    return cert, key
