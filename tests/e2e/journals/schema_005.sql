PRAGMA application_id = 1398893639;
PRAGMA user_version = 5;
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
INSERT INTO "cancelled_keys" VALUES('caixa-01','never-arrived',1795393347770);
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
CREATE TABLE id_externos (
    id_externo TEXT PRIMARY KEY,
    sale       TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "id_externos" VALUES('01M82WGQEWVMKG6VSJB057835B','01M82WGQEWC5QMF4VNTG5N3P58');
INSERT INTO "id_externos" VALUES('01M82WGQGGG0PQGGQP14DX37T1','01M82WGQGGEYAWBRT19TDJ0ZFN');
INSERT INTO "id_externos" VALUES('01M82WGQJ8BM7Q70D38RVBQ041','01M82WGQJ8EHD99SNE3AE5ZHHX');
INSERT INTO "id_externos" VALUES('01M82WGQV4MES0VX310DCJRE40','01M82WGQV47KSCP1NRYPQ9YVJZ');
INSERT INTO "id_externos" VALUES('01M82WGQW893R8HBGVTZ6YDHBB','01M82WGQW8S8YRA7PAJRQ34K4B');
INSERT INTO "id_externos" VALUES('01M82WGQXD9CFHGGN0A4QKJPCP','01M82WGQW8S8YRA7PAJRQ34K4B');
INSERT INTO "id_externos" VALUES('01M82WGQYNW98JBNM5Q3TXM9ZT','01M82WGQYN26A1PVKB6QFS1NXY');
INSERT INTO "id_externos" VALUES('01M82WGR03M2CT39K3BBKHKCTR','01M82WGR0367DC17T3F7KY38XA');
INSERT INTO "id_externos" VALUES('01M82WGR0JNG8CK652WYEXHNKD','01M82WGR0J5JNF2H4RYA7VXX7D');
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
INSERT INTO "notes" VALUES(1,'01M82WGR0367DC17T3F7KY38XA','visto no portal');
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
, cashier TEXT, duplicate_hash TEXT);
INSERT INTO "sales" VALUES(1,'01M82WGQEWC5QMF4VNTG5N3P58','caixa-01','sold-tv','6484abc72e7c4f8cf714883072773d7e3de6470cf745e1e3acff8172584050f2','tv','auto','12345678','TV Mensal','',4900,'','{"tipoProduto":"ONLINE","valor":"4900","cpf":"529.982.247-25"}',NULL,'',1795393347036,1795393347065,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-22T21:22:27.049-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"829244624117\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,1,'[{"idExterno":"01M82WGQEWVMKG6VSJB057835B","state":"sold","idTransacao":"01M82WGQF9F8SKPBGQ043Z0FZ1","createdAt":1795393347036,"confirmTime":1795393347050}]',1795393347065,'{"at":1795393347036,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795393347050,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"confirming"}
{"at":1795393347065,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":0,"state":"sold"}
{"at":1795393347752,"attempt":1,"event":"receipt","state":"sold"}',NULL,NULL);
INSERT INTO "sales" VALUES(2,'01M82WGQGGEYAWBRT19TDJ0ZFN','caixa-01','sold-egift','87724adf5459c6d8d852e42efb0dd70aea003297cdc1a6c9ff6c9279a75c664e','egift','auto','12345678','Moedas do Jogo','Estudio Um',5000,'','{"tipoProduto":"ONLINE","tipoNegocio":1,"chaveProduto":"EG-MOEDAS","configuracaoId":"cfg-moedas-01","valor":"5000"}',NULL,'',1795393347088,1795393347118,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Estudio Um","dataHora":"2026-11-22T21:22:27.101-03:00"}','{"instrucao":"{\"estabelecimento\":\"Loja Sandbox\",\"produto\":\"Moedas do Jogo\",\"valor\":5000,\"token\":\"046758185553\",\"estabelecimentoId\":\"12345678\",\"urlAtivacao\":\"https://resgate.example/ativar/76663874005160231006\",\"dataTransacao\":\"22/11/2026 21:22:27\",\"transacaoId\":\"01M82WGQGX3MCG1F3QXNQ5G2A8\"}"}',NULL,0,'[{"idExterno":"01M82WGQGGG0PQGGQP14DX37T1","state":"sold","idTransacao":"01M82WGQGX3MCG1F3QXNQ5G2A8","createdAt":1795393347088,"confirmTime":1795393347102}]',1795393347118,'{"at":1795393347088,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795393347102,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"confirming"}
{"at":1795393347118,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":0,"state":"sold"}',NULL,NULL);
INSERT INTO "sales" VALUES(3,'01M82WGQJ8EHD99SNE3AE5ZHHX','caixa-01','sold-after-a-lost-confirm','299342d8c97d76431f64f0abfcf62e529b4df1690f79a6c3eee1cce6b717bf2c','tv','auto','12345678','TV Mensal','',4912,'','{"tipoProduto":"ONLINE","valor":"4912","cpf":"529.982.247-25"}',NULL,'',1795393347144,1795393347409,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-22T21:22:27.157-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"454572194659\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,0,'[{"idExterno":"01M82WGQJ8BM7Q70D38RVBQ041","state":"sold","idTransacao":"01M82WGQJNMPZBKM3SDEE63ZST","createdAt":1795393347144,"confirmTime":1795393347158}]',1795393347409,'{"at":1795393347144,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795393347158,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"confirming"}
{"at":1795393347174,"attempt":1,"event":"confirmar","known":"unknown","durationMs":0,"state":"confirming","detail":"the answer was lost: the connection was lost","tries":1}
{"at":1795393347409,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":5,"state":"sold"}',NULL,NULL);
INSERT INTO "sales" VALUES(4,'01M82WGQV47KSCP1NRYPQ9YVJZ','caixa-01','refused','47cad179a683dc93a8c4f9ac604aa863af8ab0ed4f37974055a468bd27c0abba','tv','auto','12345678','TV Mensal','',4901,'','{"tipoProduto":"ONLINE","valor":"4901","cpf":"529.982.247-25"}',NULL,'',1795393347428,1795393347446,'NEGADA',1,'none','{"code":"refused","detail":"the provider refused the sale","providerStatus":422}','{"providerBody":"{\"erro\":\"recusada\",\"mensagem\":\"operacao recusada\"}"}',NULL,NULL,NULL,0,'[{"idExterno":"01M82WGQV4MES0VX310DCJRE40","state":"refused","createdAt":1795393347428}]',1795393347446,'{"at":1795393347428,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795393347446,"attempt":1,"event":"solicitar","known":"refused","httpStatus":422,"durationMs":0,"state":"refused","detail":"the provider refused the sale"}',NULL,NULL);
INSERT INTO "sales" VALUES(5,'01M82WGQW8S8YRA7PAJRQ34K4B','caixa-01','lost','c4d63d4d90f520595374aa9c6c7324d8f2c579c39add8e3d9e3fa9a3c1e39a41','tv','auto','12345678','TV Mensal','',4902,'','{"tipoProduto":"ONLINE","valor":"4902","cpf":"529.982.247-25"}',NULL,'',1795393347464,1795393347643,'CANCELADA',1,'none','{"code":"response_lost","detail":"the answer was lost: the connection was lost"}',NULL,NULL,NULL,NULL,0,'[{"idExterno":"01M82WGQW893R8HBGVTZ6YDHBB","state":"cancelled","createdAt":1795393347464,"cancelTime":1795393347478},{"idExterno":"01M82WGQXD9CFHGGN0A4QKJPCP","state":"cancelled","createdAt":1795393347501,"cancelTime":1795393347522}]',1795393347643,'{"at":1795393347464,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795393347478,"attempt":1,"event":"solicitar","known":"unknown","durationMs":0,"state":"retracting","detail":"the answer was lost: the connection was lost"}
{"at":1795393347501,"attempt":1,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":8,"state":"lingering","detail":"the provider says CANCELADA"}
{"at":1795393347501,"attempt":2,"event":"begun","state":"requesting"}
{"at":1795393347522,"attempt":2,"event":"solicitar","known":"unknown","durationMs":0,"state":"cancelling","detail":"the answer was lost: the connection was lost"}
{"at":1795393347541,"attempt":2,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":3,"state":"lingering","detail":"the provider says CANCELADA"}
{"at":1795393347602,"attempt":1,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":0,"state":"cancelled","detail":"the provider says CANCELADA"}
{"at":1795393347643,"attempt":2,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":1,"state":"cancelled","detail":"the provider says CANCELADA"}',NULL,NULL);
INSERT INTO "sales" VALUES(6,'01M82WGQYN26A1PVKB6QFS1NXY','caixa-01','waits-for-a-callback','b96e6bc4c2124e9056e1e6bb6773141153ecd26b69e450ff627b8d544bef9031','esim','auto','12345678','Chip Virtual','',2935,'','{"consumidor":{"cpf":"529.982.247-25","nome":"Zuleica Quaresma","email":"zuleica.quaresma@correio.example","nascimento":"21041985","telefone":11987654321,"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"}},"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"},"servicoId":"301","valorRecarga":1500,"valor":"2935"}','2c45f92f5d41615770a2e49875dfb9cbaccacb287a5cba56af8f136988dc9bb7','',1795393347541,1795393347662,'AUTORIZADA',0,'no_callback',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Movel","dataHora":"2026-11-22T21:22:27.560-03:00"}',NULL,NULL,0,'[{"idExterno":"01M82WGQYNW98JBNM5Q3TXM9ZT","state":"awaiting","idTransacao":"01M82WGQZ8M7W11RWYCXE29Q2D","createdAt":1795393347541}]',1795393347662,'{"at":1795393347541,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795393347562,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"awaiting"}
{"at":1795393347662,"attempt":1,"event":"elapsed","state":"awaiting","mark":"no_callback"}',NULL,NULL);
INSERT INTO "sales" VALUES(7,'01M82WGR0367DC17T3F7KY38XA','caixa-01','decided-by-a-person','b96e6bc4c2124e9056e1e6bb6773141153ecd26b69e450ff627b8d544bef9031','esim','auto','12345678','Chip Virtual','',2935,'','{"consumidor":{"cpf":"529.982.247-25","nome":"Zuleica Quaresma","email":"zuleica.quaresma@correio.example","nascimento":"21041985","telefone":11987654321,"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"}},"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"},"servicoId":"301","valorRecarga":1500,"valor":"2935"}','b3c7dad9e02b6e914e21fb41d335dd930d7e98451ef7681704fc8ff8e707aeb6','',1795393347587,1795393347735,'EFETIVADA',1,'none','{"code":"operator"}','{"note":"visto no portal"}','{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Movel","dataHora":"2026-11-22T21:22:27.597-03:00"}',NULL,NULL,0,'[{"idExterno":"01M82WGR03M2CT39K3BBKHKCTR","state":"sold","idTransacao":"01M82WGR0DJA57QTYVCDXBWY8Q","createdAt":1795393347587}]',1795393347735,'{"at":1795393347587,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795393347598,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"awaiting"}
{"at":1795393347698,"attempt":1,"event":"elapsed","state":"awaiting","mark":"no_callback"}
{"at":1795393347735,"attempt":1,"event":"resolved","known":"EFETIVADA","state":"sold","mark":"none"}',NULL,NULL);
INSERT INTO "sales" VALUES(8,'01M82WGR0J5JNF2H4RYA7VXX7D','caixa-01','held','e422b7216ec01e52726d9051cacaf9806681d9367fcc33b5a4d7f8c782133289','tv','manual','12345678','TV Mensal','',4900,'','{"tipoProduto":"ONLINE","valor":"4900","cpf":"529.982.247-25"}',NULL,'',1795393347602,1795393347603,'AUTORIZADA',0,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-22T21:22:27.602-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"629701737822\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,0,'[{"idExterno":"01M82WGR0JNG8CK652WYEXHNKD","state":"held","idTransacao":"01M82WGR0JF467JZZ33PEAQB1Y","createdAt":1795393347602,"deadline":1795393377602}]',1795393347603,'{"at":1795393347602,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795393347603,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"held"}',NULL,NULL);
CREATE TABLE sealing_keys (
    name       TEXT PRIMARY KEY,
    current    INTEGER NOT NULL,
    done_until TEXT NOT NULL            -- of the current one: up to which sale; '~': all of them
) WITHOUT ROWID;
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
CREATE VIEW sales_now AS
    SELECT id, strftime('%Y-%m-%d %H:%M:%S', created_at / 1000, 'unixepoch', 'localtime') AS created, terminal,
           family, produto, printf('%d.%02d', valor / 100, valor % 100) AS valor, status, settled, attention,
           CASE WHEN json_valid(reason) THEN json_extract(reason, '$.code') END AS reason,
           CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idExterno') END AS id_externo,
           CASE WHEN json_valid(attempts) THEN json_extract(attempts, '$[#-1].idTransacao') END AS id_transacao,
           estabelecimento
    FROM sales;
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
COMMIT;
