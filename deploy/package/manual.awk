# This turns config/gateway.example.toml into the manual page sales-gateway.toml(5): comments become its text, and
# settings its examples. cmake/Package.cmake calls it with -v version=….
function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.']/) text = "\\\\&" text
    return text
}
function end_code() { if (code) print ".fi\n.RE"; code = 0 }
function begin_code() { if (!code) print ".RS 4\n.nf"; code = 1 }
BEGIN {
    print ".TH SALES-GATEWAY.TOML 5 \"\" \"sales-gateway " version "\" \"Sales gateway\""
    print ".SH NAME\nsales-gateway.toml \\- configuration of sales-gateway(8)"
    print ".SH DESCRIPTION"
}
/^## / { end_code(); print ".SH " toupper(plain(substr($0, 4))); next }
/^#?\[/ || /^#?[a-zA-Z_0-9]+ = / { begin_code(); print "\\fB" plain($0) "\\fR"; next }
/^#     / { begin_code(); print plain(substr($0, 7)); next }
/^#$/ || /^$/ { end_code(); blank = 1; next }
/^# / { end_code(); if (blank) print ".PP"; blank = 0; print plain(substr($0, 3)) }
END {
    end_code()
    print ".SH FILES\n.I /etc/sales\\-gateway/gateway.toml\n.br\n.I /etc/sales\\-gateway/gateway.example.toml"
    print ".SH SEE ALSO\n.BR sales\\-gateway (8)"
}
