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
