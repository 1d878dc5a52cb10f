"""Makes certificates: self-signed ones, and those of an authority."""
import subprocess

DAYS = "30"  # this is long enough that nobody is warned of the end
EC = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]


def make_certificate(folder, name, names="IP:127.0.0.1", algorithm=EC, days=DAYS):
    """Makes a certificate that signs itself. Returns the paths of the certificate and its key, as PEM."""
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    command = ["openssl", "req", "-x509", "-newkey", *algorithm, "-nodes"]
    command += ["-days", str(days), "-subj", f"/CN={name}", "-addext", f"subjectAltName={names}"]
    command += ["-keyout", str(key), "-out", str(cert)]
    subprocess.run(command, check=True, capture_output=True)
    key.chmod(0o600)
    return cert, key


def openssl(*arguments, data=None):
    return subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, input=data).stdout


def signed(folder, name, authority, subject=None, names=None):
    """Makes a certificate of the authority (given by its certificate and key), and its key."""
    cert, key, request = folder / f"{name}.pem", folder / f"{name}.key", folder / f"{name}.csr"
    openssl("req", "-new", "-newkey", *EC, "-nodes", "-subj",
            f"/CN={subject or name}", "-keyout", key, "-out", request)
    more = []
    if names:
        extensions = folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={names}\n")
        more = ["-extfile", extensions]
    openssl("x509", "-req", "-in", request, "-CA", authority[0], "-CAkey", authority[1], "-CAcreateserial",
            "-days", DAYS, "-out", cert, *more)
    return cert, key


def make_authority(folder, name="authority"):
    """Makes an authority's certificate and key."""
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    openssl("req", "-x509", "-newkey", *EC, "-nodes", "-days", DAYS, "-subj",
            "/CN=Store", "-keyout", key, "-out", cert)
    return cert, key


def expired(folder, name, authority, names):
    """Makes a certificate of the authority that was valid until some years ago, and its key."""
    cert, key = signed(folder, name, authority, names=names)
    settings = folder / f"{name}.cnf"
    settings.write_text(f"[ca]\ndefault_ca=d\n[d]\ndatabase={folder}/{name}.index\nserial={folder}/{name}.serial\n"
                        f"new_certs_dir={folder}\ndefault_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
    (folder / f"{name}.index").touch()
    (folder / f"{name}.serial").write_text("01\n")
    openssl("ca", "-batch", "-notext", "-config", settings, "-in", folder / f"{name}.csr", "-cert", authority[0],
            "-keyfile", authority[1], "-startdate", "20200101000000Z", "-enddate", "20210101000000Z",
            "-extfile", folder / f"{name}.ext", "-out", cert)
    return cert, key


def pin_of(cert):
    """Returns what `provider.pinned_key` takes for this certificate."""
    public = openssl("x509", "-in", cert, "-pubkey", "-noout")
    der = openssl("pkey", "-pubin", "-outform", "DER", data=public)
    return openssl("dgst", "-sha256", data=der).decode().split()[-1]
