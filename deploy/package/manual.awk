# This turns an example of the configuration into the manual page sales-gateway.toml(5) of its language: comments become
# its text, and settings its examples. cmake/Package.cmake calls it with -v version=… -v language=…, which is pt_BR or
# empty.
function plain(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/:\/etc/, ":\\:/etc", text)  # a setting of systemd, NAME:PATH, is longer than what a line has left
    if (text ~ /^[.']/) text = "\\\\&" text
    return text
}
# mawk knows the capitals of ASCII only.
function capitals(text,   small, large, count, i) {
    count = split("á â ã à ç é ê í ó ô õ ú", small, " ")
    split("Á Â Ã À Ç É Ê Í Ó Ô Õ Ú", large, " ")
    for (i = 1; i <= count; i++) gsub(small[i], large[i], text)
    return toupper(text)
}
function end_code() { if (code) print ".fi\n.RE"; code = 0 }
function begin_code() { if (!code) print ".RS 4\n.nf"; code = 1 }
BEGIN {
    portuguese = language == "pt_BR"
    print ".TH SALES-GATEWAY.TOML 5 \"\" \"sales-gateway " version "\" \"" \
        (portuguese ? "Gateway de vendas" : "Sales gateway") "\""
    # There are no rules here to hyphenate Portuguese by.
    if (portuguese) print ".nh\n.ad l"
    print ".SH " (portuguese ? "NOME" : "NAME")
    print "sales-gateway.toml \\- " (portuguese ? "configuração do" : "configuration of") " sales-gateway(8)"
    print ".SH " (portuguese ? "DESCRIÇÃO" : "DESCRIPTION")
}
/^## / { end_code(); print ".SH " capitals(plain(substr($0, 4))); next }
/^#?\[/ || /^#?[a-zA-Z_0-9]+ = / { begin_code(); print "\\fB" plain($0) "\\fR"; next }
/^#     / { begin_code(); print plain(substr($0, 7)); next }
/^#$/ || /^$/ { end_code(); blank = 1; next }
/^# / { end_code(); if (blank) print ".PP"; blank = 0; print plain(substr($0, 3)) }
END {
    end_code()
    print ".SH " (portuguese ? "ARQUIVOS" : "FILES")
    print ".I /etc/sales\\-gateway/gateway.toml\n.br"
    print ".I /etc/sales\\-gateway/gateway.example." (portuguese ? "pt\\-BR.toml" : "toml")
    print ".SH " (portuguese ? "VEJA TAMBÉM" : "SEE ALSO") "\n.BR sales\\-gateway (8)"
}
