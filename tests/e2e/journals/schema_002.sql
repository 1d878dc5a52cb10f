PRAGMA application_id = 1398893639;
PRAGMA user_version = 2;
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
INSERT INTO "cancelled_keys" VALUES('caixa-01','never-arrived',1795324238576);
CREATE TABLE erase_later (sale TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE erasure (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    done_until TEXT NOT NULL
);
INSERT INTO "erasure" VALUES(1,'');
CREATE TABLE id_externos (
    id_externo TEXT PRIMARY KEY,
    sale       TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "id_externos" VALUES('01M80TKPFX1QX36ZF59RSCWZXR','01M80TKPFXTSCRHBYKMNWTX080');
INSERT INTO "id_externos" VALUES('01M80TKPG3C620T4CXS6MNJN3R','01M80TKPG30XCZQMQDPDNNZS1B');
INSERT INTO "id_externos" VALUES('01M80TKPG7PD07JBTJSSCPRT36','01M80TKPG7YA9VPJH61CB1R5F3');
INSERT INTO "id_externos" VALUES('01M80TKPJK842X983N268979GD','01M80TKPJKK0V960W60TH19KDS');
INSERT INTO "id_externos" VALUES('01M80TKPJQK7B0GN9397HJ03E4','01M80TKPJQA9CZMF1EGWCZZVCR');
INSERT INTO "id_externos" VALUES('01M80TKPJSMVVZXP29JT2PFRMG','01M80TKPJQA9CZMF1EGWCZZVCR');
INSERT INTO "id_externos" VALUES('01M80TKPK2N5HWN2KVP2B96WKJ','01M80TKPK2PKD3JDD0SKQY5Y2H');
INSERT INTO "id_externos" VALUES('01M80TKPK64HH2YCN9FZ75MYJ5','01M80TKPK6ZQH89VTG7TRGDZ2F');
INSERT INTO "id_externos" VALUES('01M80TKPKAE1RG2GT5SR9QDET8','01M80TKPKA25KZ0Q1840WY6J2V');
CREATE TABLE notes (
    n    INTEGER PRIMARY KEY,
    sale TEXT NOT NULL,
    note TEXT                           -- sealed; personal: erased after the retention
);
INSERT INTO "notes" VALUES(1,'01M80TKPK6ZQH89VTG7TRGDZ2F','visto no portal');
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
);
INSERT INTO "sales" VALUES(1,'01M80TKPFXTSCRHBYKMNWTX080','caixa-01','sold-tv','6484abc72e7c4f8cf714883072773d7e3de6470cf745e1e3acff8172584050f2','tv','auto','12345678','TV Mensal','',4900,'','{"tipoProduto":"ONLINE","valor":"4900","cpf":"529.982.247-25"}',NULL,'',1795324238333,1795324238335,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-22T02:10:38.334-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"209704580852\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,1,'[{"idExterno":"01M80TKPFX1QX36ZF59RSCWZXR","state":"sold","idTransacao":"01M80TKPFYBWFJ4DTCGCKV2VV7","createdAt":1795324238333,"confirmTime":1795324238335}]',1795324238335,'{"at":1795324238333,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795324238335,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":1,"state":"confirming"}
{"at":1795324238335,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":0,"state":"sold"}
{"at":1795324238575,"attempt":1,"event":"receipt","state":"sold"}');
INSERT INTO "sales" VALUES(2,'01M80TKPG30XCZQMQDPDNNZS1B','caixa-01','sold-egift','87724adf5459c6d8d852e42efb0dd70aea003297cdc1a6c9ff6c9279a75c664e','egift','auto','12345678','Moedas do Jogo','Estudio Um',5000,'','{"tipoProduto":"ONLINE","tipoNegocio":1,"chaveProduto":"EG-MOEDAS","configuracaoId":"cfg-moedas-01","valor":"5000"}',NULL,'',1795324238339,1795324238341,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Estudio Um","dataHora":"2026-11-22T02:10:38.340-03:00"}','{"instrucao":"{\"estabelecimento\":\"Loja Sandbox\",\"produto\":\"Moedas do Jogo\",\"valor\":5000,\"token\":\"530951138226\",\"estabelecimentoId\":\"12345678\",\"urlAtivacao\":\"https://resgate.example/ativar/32131366269115414492\",\"dataTransacao\":\"22/11/2026 02:10:38\",\"transacaoId\":\"01M80TKPG46PKR8ERTREQZ1GY4\"}"}',NULL,0,'[{"idExterno":"01M80TKPG3C620T4CXS6MNJN3R","state":"sold","idTransacao":"01M80TKPG46PKR8ERTREQZ1GY4","createdAt":1795324238339,"confirmTime":1795324238340}]',1795324238341,'{"at":1795324238339,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795324238340,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"confirming"}
{"at":1795324238341,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":0,"state":"sold"}');
INSERT INTO "sales" VALUES(3,'01M80TKPG7YA9VPJH61CB1R5F3','caixa-01','sold-after-a-lost-confirm','299342d8c97d76431f64f0abfcf62e529b4df1690f79a6c3eee1cce6b717bf2c','tv','auto','12345678','TV Mensal','',4912,'','{"tipoProduto":"ONLINE","valor":"4912","cpf":"529.982.247-25"}',NULL,'',1795324238343,1795324238416,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-22T02:10:38.344-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"433209444458\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,0,'[{"idExterno":"01M80TKPG7PD07JBTJSSCPRT36","state":"sold","idTransacao":"01M80TKPG8YBKH6EECPTYXME72","createdAt":1795324238343,"confirmTime":1795324238344}]',1795324238416,'{"at":1795324238343,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795324238344,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"confirming"}
{"at":1795324238345,"attempt":1,"event":"confirmar","known":"unknown","durationMs":0,"state":"confirming","detail":"the answer was lost: the connection was lost"}
{"at":1795324238416,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":1,"state":"sold"}');
INSERT INTO "sales" VALUES(4,'01M80TKPJKK0V960W60TH19KDS','caixa-01','refused','47cad179a683dc93a8c4f9ac604aa863af8ab0ed4f37974055a468bd27c0abba','tv','auto','12345678','TV Mensal','',4901,'','{"tipoProduto":"ONLINE","valor":"4901","cpf":"529.982.247-25"}',NULL,'',1795324238419,1795324238420,'NEGADA',1,'none','{"code":"refused","detail":"the provider refused the sale","providerStatus":422}','{"providerBody":"{\"erro\":\"recusada\",\"mensagem\":\"operacao recusada\"}"}',NULL,NULL,NULL,0,'[{"idExterno":"01M80TKPJK842X983N268979GD","state":"refused","createdAt":1795324238419}]',1795324238420,'{"at":1795324238419,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795324238420,"attempt":1,"event":"solicitar","known":"refused","httpStatus":422,"durationMs":0,"state":"refused","detail":"the provider refused the sale"}');
INSERT INTO "sales" VALUES(5,'01M80TKPJQA9CZMF1EGWCZZVCR','caixa-01','lost','c4d63d4d90f520595374aa9c6c7324d8f2c579c39add8e3d9e3fa9a3c1e39a41','tv','auto','12345678','TV Mensal','',4902,'','{"tipoProduto":"ONLINE","valor":"4902","cpf":"529.982.247-25"}',NULL,'',1795324238423,1795324238535,'CANCELADA',1,'none','{"code":"response_lost","detail":"the answer was lost: the connection was lost"}',NULL,NULL,NULL,NULL,0,'[{"idExterno":"01M80TKPJQK7B0GN9397HJ03E4","state":"cancelled","createdAt":1795324238423,"cancelTime":1795324238424},{"idExterno":"01M80TKPJSMVVZXP29JT2PFRMG","state":"cancelled","createdAt":1795324238425,"cancelTime":1795324238426}]',1795324238535,'{"at":1795324238423,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795324238424,"attempt":1,"event":"solicitar","known":"unknown","durationMs":0,"state":"retracting","detail":"the answer was lost: the connection was lost"}
{"at":1795324238425,"attempt":1,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":0,"state":"lingering","detail":"the provider says CANCELADA"}
{"at":1795324238425,"attempt":2,"event":"begun","state":"requesting"}
{"at":1795324238426,"attempt":2,"event":"solicitar","known":"unknown","durationMs":0,"state":"cancelling","detail":"the answer was lost: the connection was lost"}
{"at":1795324238434,"attempt":2,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":7,"state":"lingering","detail":"the provider says CANCELADA"}
{"at":1795324238526,"attempt":1,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":0,"state":"cancelled","detail":"the provider says CANCELADA"}
{"at":1795324238535,"attempt":2,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":0,"state":"cancelled","detail":"the provider says CANCELADA"}');
INSERT INTO "sales" VALUES(6,'01M80TKPK2PKD3JDD0SKQY5Y2H','caixa-01','waits-for-a-callback','b96e6bc4c2124e9056e1e6bb6773141153ecd26b69e450ff627b8d544bef9031','esim','auto','12345678','Chip Virtual','',2935,'','{"consumidor":{"cpf":"529.982.247-25","nome":"Zuleica Quaresma","email":"zuleica.quaresma@correio.example","nascimento":"21041985","telefone":11987654321,"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"}},"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"},"servicoId":"301","valorRecarga":1500,"valor":"2935"}','b857b730e77d5b8750dbfd45679f70390c3930532386463ebea29d68b99fac72','',1795324238434,1795324238535,'AUTORIZADA',0,'no_callback',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Movel","dataHora":"2026-11-22T02:10:38.435-03:00"}',NULL,NULL,0,'[{"idExterno":"01M80TKPK2N5HWN2KVP2B96WKJ","state":"awaiting","idTransacao":"01M80TKPK3ZXJZM2NYXTCH38A4","createdAt":1795324238434}]',1795324238535,'{"at":1795324238434,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795324238435,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"awaiting"}
{"at":1795324238535,"attempt":1,"event":"elapsed","state":"awaiting"}');
INSERT INTO "sales" VALUES(7,'01M80TKPK6ZQH89VTG7TRGDZ2F','caixa-01','decided-by-a-person','b96e6bc4c2124e9056e1e6bb6773141153ecd26b69e450ff627b8d544bef9031','esim','auto','12345678','Chip Virtual','',2935,'','{"consumidor":{"cpf":"529.982.247-25","nome":"Zuleica Quaresma","email":"zuleica.quaresma@correio.example","nascimento":"21041985","telefone":11987654321,"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"}},"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"},"servicoId":"301","valorRecarga":1500,"valor":"2935"}','3d09c352f8a3a9cc6c162cf88babbf9075041a9faa0fde82f56fc8dcb3bd1cb9','',1795324238438,1795324238573,'EFETIVADA',1,'none','{"code":"operator"}','{"note":"visto no portal"}','{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Movel","dataHora":"2026-11-22T02:10:38.439-03:00"}',NULL,NULL,0,'[{"idExterno":"01M80TKPK64HH2YCN9FZ75MYJ5","state":"sold","idTransacao":"01M80TKPK7J8JWZGSZF802K8XJ","createdAt":1795324238438}]',1795324238573,'{"at":1795324238438,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795324238439,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"awaiting"}
{"at":1795324238539,"attempt":1,"event":"elapsed","state":"awaiting"}
{"at":1795324238573,"attempt":1,"event":"resolved","known":"EFETIVADA","state":"sold"}');
INSERT INTO "sales" VALUES(8,'01M80TKPKA25KZ0Q1840WY6J2V','caixa-01','held','e422b7216ec01e52726d9051cacaf9806681d9367fcc33b5a4d7f8c782133289','tv','manual','12345678','TV Mensal','',4900,'','{"tipoProduto":"ONLINE","valor":"4900","cpf":"529.982.247-25"}',NULL,'',1795324238442,1795324238443,'AUTORIZADA',0,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-22T02:10:38.442-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"370079030696\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,0,'[{"idExterno":"01M80TKPKAE1RG2GT5SR9QDET8","state":"held","idTransacao":"01M80TKPKAYTY66YGGV8G01KNW","createdAt":1795324238442,"deadline":1795324268442}]',1795324238443,'{"at":1795324238442,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795324238443,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"held"}');
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
COMMIT;
