PRAGMA application_id = 1398893639;
PRAGMA user_version = 4;
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
INSERT INTO "cancelled_keys" VALUES('caixa-01','never-arrived',1795379866663);
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
INSERT INTO "id_externos" VALUES('01M82FNAK1C27087875JSNPB2J','01M82FNAK16HQQSWDZ0XCXMH8J');
INSERT INTO "id_externos" VALUES('01M82FNAKFB72E79SPXPCCZ7HB','01M82FNAKFTB35Y41WQT15F4XJ');
INSERT INTO "id_externos" VALUES('01M82FNAKVCWCJXDPSNXXD11M5','01M82FNAKVKK7WVRYCFX7SHYTA');
INSERT INTO "id_externos" VALUES('01M82FNAVRC3NB3QB11BPGSGEV','01M82FNAVRRXQ2AA89NFCY97S4');
INSERT INTO "id_externos" VALUES('01M82FNAVZQX2RRM4RGJ1MJDVR','01M82FNAVZSQ8WRJQFJVY6D8N6');
INSERT INTO "id_externos" VALUES('01M82FNAW36HQX9EHQR2YP5F8H','01M82FNAVZSQ8WRJQFJVY6D8N6');
INSERT INTO "id_externos" VALUES('01M82FNAW9JNCK2SWQSPDDBFKW','01M82FNAW9DSB5FJ8E2C6J8NTC');
INSERT INTO "id_externos" VALUES('01M82FNAWMHCV8VX8Q1T4ZD0R9','01M82FNAWMKJ9B79Q7JQCYNFY8');
INSERT INTO "id_externos" VALUES('01M82FNAWXDCD4DHTV8KHJDJBD','01M82FNAWXB1C00ZNDWVRB6086');
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
INSERT INTO "notes" VALUES(1,'01M82FNAWMKJ9B79Q7JQCYNFY8','visto no portal');
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
INSERT INTO "sales" VALUES(1,'01M82FNAK16HQQSWDZ0XCXMH8J','caixa-01','sold-tv','6484abc72e7c4f8cf714883072773d7e3de6470cf745e1e3acff8172584050f2','tv','auto','12345678','TV Mensal','',4900,'','{"tipoProduto":"ONLINE","valor":"4900","cpf":"529.982.247-25"}',NULL,'',1795379866209,1795379866214,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-22T17:37:46.211-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"338209546041\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,1,'[{"idExterno":"01M82FNAK1C27087875JSNPB2J","state":"sold","idTransacao":"01M82FNAK3A71FA5YFXRCCYG65","createdAt":1795379866209,"confirmTime":1795379866211}]',1795379866214,'{"at":1795379866209,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795379866211,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"confirming"}
{"at":1795379866214,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":1,"state":"sold"}
{"at":1795379866660,"attempt":1,"event":"receipt","state":"sold"}',NULL,NULL);
INSERT INTO "sales" VALUES(2,'01M82FNAKFTB35Y41WQT15F4XJ','caixa-01','sold-egift','87724adf5459c6d8d852e42efb0dd70aea003297cdc1a6c9ff6c9279a75c664e','egift','auto','12345678','Moedas do Jogo','Estudio Um',5000,'','{"tipoProduto":"ONLINE","tipoNegocio":1,"chaveProduto":"EG-MOEDAS","configuracaoId":"cfg-moedas-01","valor":"5000"}',NULL,'',1795379866223,1795379866228,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Estudio Um","dataHora":"2026-11-22T17:37:46.225-03:00"}','{"instrucao":"{\"estabelecimento\":\"Loja Sandbox\",\"produto\":\"Moedas do Jogo\",\"valor\":5000,\"token\":\"909544281936\",\"estabelecimentoId\":\"12345678\",\"urlAtivacao\":\"https://resgate.example/ativar/87120483447106551454\",\"dataTransacao\":\"22/11/2026 17:37:46\",\"transacaoId\":\"01M82FNAKH00VP4V5BBK5VFMP6\"}"}',NULL,0,'[{"idExterno":"01M82FNAKFB72E79SPXPCCZ7HB","state":"sold","idTransacao":"01M82FNAKH00VP4V5BBK5VFMP6","createdAt":1795379866223,"confirmTime":1795379866225}]',1795379866228,'{"at":1795379866223,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795379866225,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":1,"state":"confirming"}
{"at":1795379866228,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":0,"state":"sold"}',NULL,NULL);
INSERT INTO "sales" VALUES(3,'01M82FNAKVKK7WVRYCFX7SHYTA','caixa-01','sold-after-a-lost-confirm','299342d8c97d76431f64f0abfcf62e529b4df1690f79a6c3eee1cce6b717bf2c','tv','auto','12345678','TV Mensal','',4912,'','{"tipoProduto":"ONLINE","valor":"4912","cpf":"529.982.247-25"}',NULL,'',1795379866235,1795379866478,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-22T17:37:46.237-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"855772076560\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,0,'[{"idExterno":"01M82FNAKVCWCJXDPSNXXD11M5","state":"sold","idTransacao":"01M82FNAKXN9PQ1DKNHM2NGHGQ","createdAt":1795379866235,"confirmTime":1795379866238}]',1795379866478,'{"at":1795379866235,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795379866238,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":1,"state":"confirming"}
{"at":1795379866241,"attempt":1,"event":"confirmar","known":"unknown","durationMs":1,"state":"confirming","detail":"the answer was lost: the connection was lost"}
{"at":1795379866478,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":2,"state":"sold"}',NULL,NULL);
INSERT INTO "sales" VALUES(4,'01M82FNAVRRXQ2AA89NFCY97S4','caixa-01','refused','47cad179a683dc93a8c4f9ac604aa863af8ab0ed4f37974055a468bd27c0abba','tv','auto','12345678','TV Mensal','',4901,'','{"tipoProduto":"ONLINE","valor":"4901","cpf":"529.982.247-25"}',NULL,'',1795379866488,1795379866490,'NEGADA',1,'none','{"code":"refused","detail":"the provider refused the sale","providerStatus":422}','{"providerBody":"{\"erro\":\"recusada\",\"mensagem\":\"operacao recusada\"}"}',NULL,NULL,NULL,0,'[{"idExterno":"01M82FNAVRC3NB3QB11BPGSGEV","state":"refused","createdAt":1795379866488}]',1795379866490,'{"at":1795379866488,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795379866490,"attempt":1,"event":"solicitar","known":"refused","httpStatus":422,"durationMs":1,"state":"refused","detail":"the provider refused the sale"}',NULL,NULL);
INSERT INTO "sales" VALUES(5,'01M82FNAVZSQ8WRJQFJVY6D8N6','caixa-01','lost','c4d63d4d90f520595374aa9c6c7324d8f2c579c39add8e3d9e3fa9a3c1e39a41','tv','auto','12345678','TV Mensal','',4902,'','{"tipoProduto":"ONLINE","valor":"4902","cpf":"529.982.247-25"}',NULL,'',1795379866495,1795379866608,'CANCELADA',1,'none','{"code":"response_lost","detail":"the answer was lost: the connection was lost"}',NULL,NULL,NULL,NULL,0,'[{"idExterno":"01M82FNAVZQX2RRM4RGJ1MJDVR","state":"cancelled","createdAt":1795379866495,"cancelTime":1795379866497},{"idExterno":"01M82FNAW36HQX9EHQR2YP5F8H","state":"cancelled","createdAt":1795379866499,"cancelTime":1795379866500}]',1795379866608,'{"at":1795379866495,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795379866497,"attempt":1,"event":"solicitar","known":"unknown","durationMs":0,"state":"retracting","detail":"the answer was lost: the connection was lost"}
{"at":1795379866499,"attempt":1,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":1,"state":"lingering","detail":"the provider says CANCELADA"}
{"at":1795379866499,"attempt":2,"event":"begun","state":"requesting"}
{"at":1795379866500,"attempt":2,"event":"solicitar","known":"unknown","durationMs":0,"state":"cancelling","detail":"the answer was lost: the connection was lost"}
{"at":1795379866506,"attempt":2,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":4,"state":"lingering","detail":"the provider says CANCELADA"}
{"at":1795379866600,"attempt":1,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":1,"state":"cancelled","detail":"the provider says CANCELADA"}
{"at":1795379866608,"attempt":2,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":1,"state":"cancelled","detail":"the provider says CANCELADA"}',NULL,NULL);
INSERT INTO "sales" VALUES(6,'01M82FNAW9DSB5FJ8E2C6J8NTC','caixa-01','waits-for-a-callback','b96e6bc4c2124e9056e1e6bb6773141153ecd26b69e450ff627b8d544bef9031','esim','auto','12345678','Chip Virtual','',2935,'','{"consumidor":{"cpf":"529.982.247-25","nome":"Zuleica Quaresma","email":"zuleica.quaresma@correio.example","nascimento":"21041985","telefone":11987654321,"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"}},"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"},"servicoId":"301","valorRecarga":1500,"valor":"2935"}','b3d394d79a5b9883e8c975fa0d5f70f33ba860733a1041a442a8ec79bdc46403','',1795379866505,1795379866608,'AUTORIZADA',0,'no_callback',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Movel","dataHora":"2026-11-22T17:37:46.507-03:00"}',NULL,NULL,0,'[{"idExterno":"01M82FNAW9JNCK2SWQSPDDBFKW","state":"awaiting","idTransacao":"01M82FNAWB0SV6M7GECX7CWGD2","createdAt":1795379866505}]',1795379866608,'{"at":1795379866505,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795379866508,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"awaiting"}
{"at":1795379866608,"attempt":1,"event":"elapsed","state":"awaiting"}',NULL,NULL);
INSERT INTO "sales" VALUES(7,'01M82FNAWMKJ9B79Q7JQCYNFY8','caixa-01','decided-by-a-person','b96e6bc4c2124e9056e1e6bb6773141153ecd26b69e450ff627b8d544bef9031','esim','auto','12345678','Chip Virtual','',2935,'','{"consumidor":{"cpf":"529.982.247-25","nome":"Zuleica Quaresma","email":"zuleica.quaresma@correio.example","nascimento":"21041985","telefone":11987654321,"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"}},"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"},"servicoId":"301","valorRecarga":1500,"valor":"2935"}','2c1bae7afc71deed090586354f94dff2d662d253506df0455dbeffe914ca5ba6','',1795379866516,1795379866652,'EFETIVADA',1,'none','{"code":"operator"}','{"note":"visto no portal"}','{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Movel","dataHora":"2026-11-22T17:37:46.518-03:00"}',NULL,NULL,0,'[{"idExterno":"01M82FNAWMHCV8VX8Q1T4ZD0R9","state":"sold","idTransacao":"01M82FNAWPH9B3SKR4XW3ZANVR","createdAt":1795379866516}]',1795379866652,'{"at":1795379866516,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795379866519,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":1,"state":"awaiting"}
{"at":1795379866620,"attempt":1,"event":"elapsed","state":"awaiting"}
{"at":1795379866652,"attempt":1,"event":"resolved","known":"EFETIVADA","state":"sold"}',NULL,NULL);
INSERT INTO "sales" VALUES(8,'01M82FNAWXB1C00ZNDWVRB6086','caixa-01','held','e422b7216ec01e52726d9051cacaf9806681d9367fcc33b5a4d7f8c782133289','tv','manual','12345678','TV Mensal','',4900,'','{"tipoProduto":"ONLINE","valor":"4900","cpf":"529.982.247-25"}',NULL,'',1795379866525,1795379866527,'AUTORIZADA',0,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-22T17:37:46.526-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"960764701870\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,0,'[{"idExterno":"01M82FNAWXDCD4DHTV8KHJDJBD","state":"held","idTransacao":"01M82FNAWY4GJZEHK2ZVKY688V","createdAt":1795379866525,"deadline":1795379896526}]',1795379866527,'{"at":1795379866525,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795379866527,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":1,"state":"held"}',NULL,NULL);
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
CREATE VIEW sales_now AS
    SELECT id, strftime('%Y-%m-%d %H:%M:%S', created_at / 1000, 'unixepoch') AS created, terminal, family, produto,
           printf('%d.%02d', valor / 100, valor % 100) AS valor, status, settled, attention,
           json_extract(reason, '$.code') AS reason
    FROM sales;
CREATE VIEW attempts AS
    SELECT sales.id AS sale, a.key + 1 AS number, a.value ->> 'idExterno' AS id_externo, a.value ->> 'state' AS state,
           a.value ->> 'idTransacao' AS id_transacao, a.value ->> 'createdAt' AS created_at,
           a.value ->> 'confirmTime' AS confirm_time, a.value ->> 'cancelTime' AS cancel_time,
           a.value ->> 'deadline' AS deadline, a.value ->> 'attentionAt' AS attention_at
    FROM sales, json_each(sales.attempts) AS a;
CREATE VIEW events AS
    SELECT sales.id AS sale, e.key + 1 AS n, e.value ->> 'at' AS at, e.value ->> 'attempt' AS attempt,
           e.value ->> 'event' AS event, e.value ->> 'known' AS known, e.value ->> 'httpStatus' AS http_status,
           e.value ->> 'durationMs' AS duration_ms, e.value ->> 'state' AS state, e.value ->> 'detail' AS detail
    FROM sales, json_each('[' || replace(story, char(10), ',') || ']') AS e;
CREATE VIEW story AS
    SELECT events.sale, n, strftime('%Y-%m-%d %H:%M:%f', events.at / 1000.0, 'unixepoch') AS at, attempts.id_externo,
           event, known, http_status, duration_ms, events.state, detail
    FROM events JOIN attempts ON attempts.sale = events.sale AND attempts.number = events.attempt;
CREATE INDEX sales_by_duplicate_hash ON sales (duplicate_hash, created_at) WHERE duplicate_hash IS NOT NULL;
COMMIT;
