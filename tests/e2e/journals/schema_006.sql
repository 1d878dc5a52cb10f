PRAGMA application_id = 1398893639;
PRAGMA user_version = 6;
BEGIN TRANSACTION;
CREATE TABLE callbacks (
    n           INTEGER PRIMARY KEY,
    received_at INTEGER NOT NULL,
    sale        TEXT NOT NULL,
    kind        TEXT NOT NULL,          -- sale or recharge, by the address it came to
    valid       INTEGER NOT NULL,
    body        TEXT                    -- sealed; personal: erased after the retention
);
CREATE TABLE cancelled_keys (
    terminal TEXT NOT NULL,
    key      TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (terminal, key)
) WITHOUT ROWID;
INSERT INTO "cancelled_keys" VALUES('caixa-01','never-arrived',1795493867196);
CREATE TABLE close_series (
    one    INTEGER PRIMARY KEY CHECK (one = 1),
    series INTEGER NOT NULL
);
INSERT INTO "close_series" VALUES(1,1);
CREATE TABLE closes (
    estabelecimento TEXT NOT NULL,
    series          INTEGER NOT NULL,   -- 1, and one more for every copy that was restored
    number          INTEGER NOT NULL,   -- from 1 without a gap, whatever the series
    day             TEXT NOT NULL,
    made_at         INTEGER NOT NULL,
    made_by         TEXT NOT NULL,      -- who asked for it; empty: nobody, at close.at
    open            TEXT NOT NULL,      -- JSON: what was not final then. id, idExterno, family, valor, status
    totals          TEXT,               -- JSON: what it came to; NULL: not summed up yet
    digest          TEXT,               -- SHA-256 over the sales in it and the close before; NULL likewise
    PRIMARY KEY (estabelecimento, number, series)
) WITHOUT ROWID;
CREATE TABLE dating (
    one          INTEGER PRIMARY KEY CHECK (one = 1),
    done_down_to INTEGER NOT NULL
);
INSERT INTO "dating" VALUES(1,0);
CREATE TABLE duplicate_key (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    key TEXT NOT NULL                   -- sealed; made by the journal for itself
);
CREATE TABLE erase_later (sale TEXT PRIMARY KEY, met_at INTEGER DEFAULT 0) WITHOUT ROWID;
CREATE TABLE erasure (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    done_until TEXT NOT NULL
);
INSERT INTO "erasure" VALUES(1,'');
CREATE TABLE findings (
    number          INTEGER PRIMARY KEY,
    statement       INTEGER NOT NULL,   -- the last one that says it
    day             TEXT NOT NULL,
    kind            TEXT NOT NULL,
    subject         TEXT NOT NULL,      -- the attempt that it is about, by the first id that there is; empty: the day
    sale            TEXT,
    id_externo      TEXT NOT NULL,
    id_transacao    TEXT NOT NULL,
    nsu             TEXT NOT NULL,
    estabelecimento TEXT NOT NULL,
    our_valor       INTEGER,
    our_status      TEXT,
    their_valor     INTEGER,
    their_status    TEXT,
    line            INTEGER NOT NULL,   -- of the statement; 0: none
    detail          TEXT NOT NULL,
    asks            TEXT NOT NULL,      -- what should be done
    pending         INTEGER NOT NULL,   -- 1: the gateway does it by itself, and has not yet
    effect          TEXT NOT NULL,      -- what came of that
    opened_at       INTEGER NOT NULL,
    closed_at       INTEGER,
    closed_as       TEXT,               -- resolved, by a person; corrected, by a later statement; settled; other_day
    closed_by       TEXT,
    note            TEXT                -- sealed; personal: erased after the retention
);
CREATE TABLE id_externos (
    id_externo TEXT PRIMARY KEY,
    sale       TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "id_externos" VALUES('01M85WCB5J3D4W3EHJ3K8JA6CN','01M85WCB5HDX5QBCGM3KVQQ5GS');
INSERT INTO "id_externos" VALUES('01M85WCB6904MJ8286V379FH1K','01M85WCB691TQP2Z7F3J34GAK6');
INSERT INTO "id_externos" VALUES('01M85WCB6TXV4NTKPBG3AF5GP7','01M85WCB6TMFC3P1FR2PGDNR0Y');
INSERT INTO "id_externos" VALUES('01M85WCBDFCBKKTRDDZ31MHBYQ','01M85WCBDFF951BN0ND2DYQRR1');
INSERT INTO "id_externos" VALUES('01M85WCBE0K8MDK3F9CBTA1KCC','01M85WCBE0F6XBFG86AVZBDXXZ');
INSERT INTO "id_externos" VALUES('01M85WCBEAACAP3X3RYZPQ7WVF','01M85WCBE0F6XBFG86AVZBDXXZ');
INSERT INTO "id_externos" VALUES('01M85WCBEMSNGJY4QDXYKTHSDA','01M85WCBEMM1HQ8K31D58R6GRR');
INSERT INTO "id_externos" VALUES('01M85WCBFZD43JW544XRC9BZRV','01M85WCBFZSGGBKV75M5668G82');
INSERT INTO "id_externos" VALUES('01M85WCBGGTHQKZP8W5YR1934F','01M85WCBGGKH608T688QFX9MJF');
CREATE TABLE id_prefixes (
    prefix  TEXT PRIMARY KEY,
    used_at INTEGER NOT NULL            -- for the first time
) WITHOUT ROWID;
CREATE TABLE journal_file (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    made_at     INTEGER,                -- in nanoseconds since 1970; NULL where its file system does not keep that
    inode       INTEGER NOT NULL,
    file_system INTEGER NOT NULL        -- its f_fsid
);
CREATE TABLE notes (
    n    INTEGER PRIMARY KEY,
    sale TEXT NOT NULL,
    note TEXT                           -- sealed; personal: erased after the retention
);
INSERT INTO "notes" VALUES(1,'01M85WCBFZSGGBKV75M5668G82','visto no portal');
CREATE TABLE sales (
    n               INTEGER PRIMARY KEY,
    id              TEXT NOT NULL,      -- begins with the time of creation
    terminal        TEXT NOT NULL,
    key             TEXT NOT NULL,      -- the terminal's Idempotency-Key
    digest          TEXT NOT NULL,      -- SHA-256 of the body that came with it (sealed: it confirms a guess)
    family          TEXT NOT NULL,
    mode            TEXT NOT NULL,
    estabelecimento TEXT NOT NULL,
    produto         TEXT NOT NULL,
    fornecedor      TEXT NOT NULL,
    valor           INTEGER NOT NULL,
    segment         TEXT NOT NULL,
    request         TEXT,               -- the family's own fields (sealed; personal: erased after the retention)
    callback_hash   TEXT,               -- SHA-256 of the secret in the callback addresses (eSIM)
    redemption      TEXT NOT NULL,      -- what the offer said about using what was bought, for the receipt (sealed)
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    status          TEXT NOT NULL,
    settled         INTEGER NOT NULL,
    attention       TEXT NOT NULL,
    reason          TEXT,               -- JSON
    words           TEXT,               -- JSON: the provider's own words or a person's note (sealed; personal)
    facts           TEXT,               -- JSON: what the provider told besides the status (sealed)
    goods           TEXT,               -- JSON: instrucao, complemento (sealed; personal: erased after the retention)
    esim            TEXT,               -- JSON: what the callbacks told (sealed; personal: erased after the retention)
    receipts        INTEGER NOT NULL,   -- how often its receipt was printed
    -- JSON: every attempt, oldest first. idExterno, state, idTransacao; createdAt, confirmTime and cancelTime are
    -- dataHoraCliente of its calls, the latter two there from the decision to make that call on; deadline is when the
    -- state's time is over, attentionAt when a person is asked to look.
    attempts        TEXT NOT NULL,
    recorded_at     INTEGER NOT NULL,   -- when the attempts were written last: deadlines are counted from it
    -- JSON, one object a line: what happened, in order; only ever appended to, and once it is long without what is
    -- only repeated. at; attempt, which one; event: begun, solicitar, confirmar, cancelar, elapsed, callback, ...;
    -- known: what an answer was taken to mean; httpStatus: the provider's; durationMs: of the exchange; state: of the
    -- attempt, afterwards; detail.
    story           TEXT NOT NULL
, cashier TEXT, duplicate_hash TEXT, day TEXT, late_day TEXT);
INSERT INTO "sales" VALUES(1,'01M85WCB5HDX5QBCGM3KVQQ5GS','caixa-01','sold-tv','6484abc72e7c4f8cf714883072773d7e3de6470cf745e1e3acff8172584050f2','tv','auto','12345678','TV Mensal','',4900,'','{"tipoProduto":"ONLINE","valor":"4900","cpf":"529.982.247-25"}',NULL,'',1795493866673,1795493866679,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-24T01:17:46.677-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"147154557399\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,1,'[{"idExterno":"01M85WCB5J3D4W3EHJ3K8JA6CN","state":"sold","idTransacao":"01M85WCB5NMWNNDEBM26BQDSZR","createdAt":1795493866674,"confirmTime":1795493866677}]',1795493866679,'{"at":1795493866674,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795493866677,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"confirming"}
{"at":1795493866679,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":0,"state":"sold"}
{"at":1795493867179,"attempt":1,"event":"receipt","state":"sold"}',NULL,NULL,'2026-11-24',NULL);
INSERT INTO "sales" VALUES(2,'01M85WCB691TQP2Z7F3J34GAK6','caixa-01','sold-egift','87724adf5459c6d8d852e42efb0dd70aea003297cdc1a6c9ff6c9279a75c664e','egift','auto','12345678','Moedas do Jogo','Estudio Um',5000,'','{"tipoProduto":"ONLINE","tipoNegocio":1,"chaveProduto":"EG-MOEDAS","configuracaoId":"cfg-moedas-01","valor":"5000"}',NULL,'',1795493866697,1795493866705,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Estudio Um","dataHora":"2026-11-24T01:17:46.699-03:00"}','{"instrucao":"{\"estabelecimento\":\"Loja Sandbox\",\"produto\":\"Moedas do Jogo\",\"valor\":5000,\"token\":\"15479782294086920907\",\"estabelecimentoId\":\"12345678\",\"urlAtivacao\":\"https://resgate.example/ativar/15479782294086920907\",\"dataTransacao\":\"24/11/2026 01:17:46\",\"transacaoId\":\"01M85WCB6B6M7PP813V2FW110P\"}"}',NULL,0,'[{"idExterno":"01M85WCB6904MJ8286V379FH1K","state":"sold","idTransacao":"01M85WCB6B6M7PP813V2FW110P","createdAt":1795493866697,"confirmTime":1795493866700}]',1795493866705,'{"at":1795493866697,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795493866700,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":1,"state":"confirming"}
{"at":1795493866705,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":0,"state":"sold"}',NULL,NULL,'2026-11-24',NULL);
INSERT INTO "sales" VALUES(3,'01M85WCB6TMFC3P1FR2PGDNR0Y','caixa-01','sold-after-a-lost-confirm','299342d8c97d76431f64f0abfcf62e529b4df1690f79a6c3eee1cce6b717bf2c','tv','auto','12345678','TV Mensal','',4912,'','{"tipoProduto":"ONLINE","valor":"4912","cpf":"529.982.247-25"}',NULL,'',1795493866714,1795493866919,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-24T01:17:46.716-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"988051469381\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,0,'[{"idExterno":"01M85WCB6TXV4NTKPBG3AF5GP7","state":"sold","idTransacao":"01M85WCB6WEYNPJN7G1QP1XQX5","createdAt":1795493866714,"confirmTime":1795493866717}]',1795493866919,'{"at":1795493866714,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795493866717,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":1,"state":"confirming"}
{"at":1795493866718,"attempt":1,"event":"confirmar","known":"unknown","durationMs":0,"state":"confirming","detail":"the answer was lost: the connection was lost","tries":1}
{"at":1795493866919,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":5,"state":"sold"}',NULL,NULL,'2026-11-24',NULL);
INSERT INTO "sales" VALUES(4,'01M85WCBDFF951BN0ND2DYQRR1','caixa-01','refused','47cad179a683dc93a8c4f9ac604aa863af8ab0ed4f37974055a468bd27c0abba','tv','auto','12345678','TV Mensal','',4901,'','{"tipoProduto":"ONLINE","valor":"4901","cpf":"529.982.247-25"}',NULL,'',1795493866927,1795493866939,'NEGADA',1,'none','{"code":"refused","detail":"the provider refused the sale","providerStatus":422}','{"providerBody":"{\"erro\":\"recusada\",\"mensagem\":\"operacao recusada\"}"}',NULL,NULL,NULL,0,'[{"idExterno":"01M85WCBDFCBKKTRDDZ31MHBYQ","state":"refused","createdAt":1795493866927}]',1795493866939,'{"at":1795493866927,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795493866939,"attempt":1,"event":"solicitar","known":"refused","httpStatus":422,"durationMs":4,"state":"refused","detail":"the provider refused the sale"}',NULL,NULL,'2026-11-24',NULL);
INSERT INTO "sales" VALUES(5,'01M85WCBE0F6XBFG86AVZBDXXZ','caixa-01','lost','c4d63d4d90f520595374aa9c6c7324d8f2c579c39add8e3d9e3fa9a3c1e39a41','tv','auto','12345678','TV Mensal','',4902,'','{"tipoProduto":"ONLINE","valor":"4902","cpf":"529.982.247-25"}',NULL,'',1795493866944,1795493867065,'CANCELADA',1,'none','{"code":"response_lost","detail":"the answer was lost: the connection was lost"}',NULL,NULL,NULL,NULL,0,'[{"idExterno":"01M85WCBE0K8MDK3F9CBTA1KCC","state":"cancelled","createdAt":1795493866944,"cancelTime":1795493866951},{"idExterno":"01M85WCBEAACAP3X3RYZPQ7WVF","state":"cancelled","createdAt":1795493866954,"cancelTime":1795493866955}]',1795493867065,'{"at":1795493866944,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795493866951,"attempt":1,"event":"solicitar","known":"unknown","durationMs":0,"state":"retracting","detail":"the answer was lost: the connection was lost"}
{"at":1795493866954,"attempt":1,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":1,"state":"lingering","detail":"the provider says CANCELADA"}
{"at":1795493866954,"attempt":2,"event":"begun","state":"requesting"}
{"at":1795493866955,"attempt":2,"event":"solicitar","known":"unknown","durationMs":0,"state":"cancelling","detail":"the answer was lost: the connection was lost"}
{"at":1795493866963,"attempt":2,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":5,"state":"lingering","detail":"the provider says CANCELADA"}
{"at":1795493867055,"attempt":1,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":0,"state":"cancelled","detail":"the provider says CANCELADA"}
{"at":1795493867065,"attempt":2,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":1,"state":"cancelled","detail":"the provider says CANCELADA"}',NULL,NULL,'2026-11-24',NULL);
INSERT INTO "sales" VALUES(6,'01M85WCBEMM1HQ8K31D58R6GRR','caixa-01','waits-for-a-callback','b96e6bc4c2124e9056e1e6bb6773141153ecd26b69e450ff627b8d544bef9031','esim','auto','12345678','Chip Virtual','',2935,'','{"consumidor":{"cpf":"529.982.247-25","nome":"Zuleica Quaresma","email":"zuleica.quaresma@correio.example","nascimento":"21041985","telefone":11987654321,"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"}},"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"},"servicoId":"301","valorRecarga":1500,"valor":"2935"}','d49393c5515ec48ce73c0936f31c962463b11406f7bbea2450f55bf14677155f','',1795493866964,1795493867094,'AUTORIZADA',0,'no_callback',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Movel","dataHora":"2026-11-24T01:17:46.993-03:00"}',NULL,NULL,0,'[{"idExterno":"01M85WCBEMSNGJY4QDXYKTHSDA","state":"awaiting","idTransacao":"01M85WCBFHK154CFSAM6RAVZ7C","createdAt":1795493866964}]',1795493867094,'{"at":1795493866964,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795493866994,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":1,"state":"awaiting"}
{"at":1795493867094,"attempt":1,"event":"elapsed","state":"awaiting","mark":"no_callback"}',NULL,NULL,NULL,NULL);
INSERT INTO "sales" VALUES(7,'01M85WCBFZSGGBKV75M5668G82','caixa-01','decided-by-a-person','b96e6bc4c2124e9056e1e6bb6773141153ecd26b69e450ff627b8d544bef9031','esim','auto','12345678','Chip Virtual','',2935,'','{"consumidor":{"cpf":"529.982.247-25","nome":"Zuleica Quaresma","email":"zuleica.quaresma@correio.example","nascimento":"21041985","telefone":11987654321,"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"}},"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"},"servicoId":"301","valorRecarga":1500,"valor":"2935"}','d2b83d35e9f77c662408ad39d7d87aac9d4b785e4d343d1a8a8229c8a5c3d62c','',1795493867007,1795493867164,'EFETIVADA',1,'none','{"code":"operator"}','{"note":"visto no portal"}','{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Movel","dataHora":"2026-11-24T01:17:47.012-03:00"}',NULL,NULL,0,'[{"idExterno":"01M85WCBFZD43JW544XRC9BZRV","state":"sold","idTransacao":"01M85WCBG4C3V0W11ZQZ00WPG3","createdAt":1795493867007}]',1795493867164,'{"at":1795493867007,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795493867013,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":1,"state":"awaiting"}
{"at":1795493867113,"attempt":1,"event":"elapsed","state":"awaiting","mark":"no_callback"}
{"at":1795493867164,"attempt":1,"event":"resolved","known":"EFETIVADA","state":"sold","mark":"none"}',NULL,NULL,'2026-11-24',NULL);
INSERT INTO "sales" VALUES(8,'01M85WCBGGKH608T688QFX9MJF','caixa-01','held','e422b7216ec01e52726d9051cacaf9806681d9367fcc33b5a4d7f8c782133289','tv','manual','12345678','TV Mensal','',4900,'','{"tipoProduto":"ONLINE","valor":"4900","cpf":"529.982.247-25"}',NULL,'',1795493867024,1795493867026,'AUTORIZADA',0,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-24T01:17:47.025-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"829550522078\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,0,'[{"idExterno":"01M85WCBGGTHQKZP8W5YR1934F","state":"held","idTransacao":"01M85WCBGHXAW0BDNG7Y12Q8MZ","createdAt":1795493867024,"deadline":1795493897025}]',1795493867026,'{"at":1795493867024,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795493867026,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"held"}',NULL,NULL,NULL,NULL);
CREATE TABLE sealing_keys (
    name       TEXT PRIMARY KEY,
    current    INTEGER NOT NULL,
    done_until TEXT NOT NULL            -- of the current one: up to which sale; '~': all of them
) WITHOUT ROWID;
CREATE TABLE statements (
    id           INTEGER PRIMARY KEY,
    day          TEXT NOT NULL,
    source       TEXT NOT NULL,         -- file, folder or list
    network      TEXT NOT NULL,         -- as its header has it; empty: none
    digest       TEXT NOT NULL,         -- SHA-256 of its bytes
    reading      TEXT NOT NULL,         -- the same of how they were read
    read_at      INTEGER NOT NULL,
    read_by      TEXT NOT NULL,         -- who brought it; empty: nobody
    header_money TEXT NOT NULL,         -- the unit of its header's total; empty: not known
    rows         INTEGER NOT NULL,
    matched      INTEGER NOT NULL,      -- of these: both sides say the same
    others       INTEGER NOT NULL,      -- of these: not this gateway's, or not sold
    findings     INTEGER NOT NULL,
    replaced     INTEGER                -- the statement that counted until then
);
CREATE TABLE token (
    one         INTEGER PRIMARY KEY CHECK (one = 1),
    access      TEXT NOT NULL,          -- sealed
    refresh     TEXT NOT NULL,          -- sealed
    obtained_at INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL
, owner TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX sales_by_id ON sales (id);
CREATE UNIQUE INDEX sales_by_key ON sales (key, terminal);
CREATE INDEX sales_by_estabelecimento ON sales (estabelecimento, id);
CREATE INDEX sales_open ON sales (settled) WHERE settled = 0;
CREATE INDEX sales_attention ON sales (id) WHERE attention <> 'none';
CREATE INDEX sales_not_sold ON sales (status, id) WHERE status IN ('CANCELADA', 'NEGADA');
CREATE UNIQUE INDEX sales_by_callback ON sales (callback_hash) WHERE callback_hash IS NOT NULL;
CREATE INDEX notes_by_sale ON notes (sale);
CREATE INDEX callbacks_by_sale ON callbacks (sale);
CREATE INDEX sales_by_duplicate_hash ON sales (duplicate_hash, created_at) WHERE duplicate_hash IS NOT NULL;
CREATE VIEW attempts AS
    SELECT sales.id AS sale, a.key + 1 AS number, a.value ->> 'idExterno' AS id_externo, a.value ->> 'state' AS state,
           a.value ->> 'idTransacao' AS id_transacao, a.value ->> 'createdAt' AS created_at,
           a.value ->> 'confirmTime' AS confirm_time, a.value ->> 'cancelTime' AS cancel_time,
           a.value ->> 'deadline' AS deadline, a.value ->> 'attentionAt' AS attention_at
    FROM sales, json_each(CASE WHEN json_valid(sales.attempts) THEN sales.attempts ELSE '[]' END) AS a
    WHERE a.type = 'object';
CREATE VIEW events AS
    SELECT sales.id AS sale, e.key + 1 AS n, e.value ->> 'at' AS at, e.value ->> 'attempt' AS attempt,
           e.value ->> 'event' AS event, e.value ->> 'known' AS known, e.value ->> 'httpStatus' AS http_status,
           e.value ->> 'durationMs' AS duration_ms, e.value ->> 'state' AS state, e.value ->> 'detail' AS detail,
           e.value ->> 'tries' AS tries, e.value ->> 'mark' AS mark, e.value ->> 'by' AS decided_by
    FROM sales,
         json_each(CASE WHEN json_valid('[' || replace(story, char(10), ',') || ']')
                        THEN '[' || replace(story, char(10), ',') || ']'
                        ELSE '[{"event":"unreadable"}]' END) AS e
    WHERE e.type = 'object';
CREATE VIEW story AS
    SELECT events.sale, events.n, strftime('%Y-%m-%d %H:%M:%f', events.at / 1000.0, 'unixepoch', 'localtime') AS at,
           CASE WHEN json_valid(sales.attempts)
                THEN json_extract(sales.attempts, '$[' || max(CAST(events.attempt AS INTEGER) - 1, 0) || '].idExterno')
           END AS id_externo,
           event, known, http_status, duration_ms, state, detail, mark, decided_by, sales.terminal
    FROM events JOIN sales ON sales.id = events.sale;
CREATE INDEX sales_of_day ON sales (day, estabelecimento, id) WHERE day IS NOT NULL;
CREATE INDEX sales_of_late_day ON sales (late_day, estabelecimento, id) WHERE late_day IS NOT NULL;
CREATE UNIQUE INDEX closes_by_day ON closes (estabelecimento, day);
CREATE INDEX closes_newest ON closes (day, estabelecimento);
CREATE INDEX closes_unfinished ON closes (day, estabelecimento) WHERE digest IS NULL;
CREATE INDEX statements_by_digest ON statements (digest);
CREATE INDEX statements_by_day ON statements (day, id);
CREATE UNIQUE INDEX findings_of_day ON findings (day, kind, subject);
CREATE INDEX findings_by_statement ON findings (statement, number);
CREATE INDEX findings_open ON findings (number) WHERE closed_at IS NULL;
CREATE INDEX findings_open_by_kind ON findings (kind, subject) WHERE closed_at IS NULL;
CREATE INDEX findings_pending ON findings (number) WHERE pending = 1;
CREATE INDEX findings_by_sale ON findings (sale) WHERE sale IS NOT NULL;
CREATE INDEX findings_with_note ON findings (closed_at) WHERE note IS NOT NULL;
CREATE VIEW sales_now AS
    SELECT id, strftime('%Y-%m-%d %H:%M:%S', created_at / 1000, 'unixepoch', 'localtime') AS created, terminal,
           family, produto, printf('%d.%02d', valor / 100, valor % 100) AS valor, status, settled, attention,
           CASE WHEN json_valid(reason) THEN json_extract(reason, '$.code') END AS reason,
           CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idExterno') END AS id_externo,
           CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idTransacao') END AS id_transacao,
           estabelecimento, day
    FROM sales;
CREATE VIEW sales_by_day AS
    SELECT day, late_day, estabelecimento,
           strftime('%Y-%m-%d %H:%M:%S', created_at / 1000, 'unixepoch', 'localtime') AS created, terminal, family,
           produto, printf('%d.%02d', valor / 100, valor % 100) AS valor, status,
           CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idExterno') END AS id_externo,
           CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idTransacao') END AS id_transacao, id
    FROM sales WHERE day IS NOT NULL;
COMMIT;
