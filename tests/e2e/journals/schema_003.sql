PRAGMA application_id = 1398893639;
PRAGMA user_version = 3;
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
INSERT INTO "cancelled_keys" VALUES('caixa-01','never-arrived',1795366627302);
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
INSERT INTO "id_externos" VALUES('01M82319HKRP8D6P6NHDWRZ04W','01M82319HKHK12CSDC8DXCMH4A');
INSERT INTO "id_externos" VALUES('01M82319JE074X72T9G9CPF87F','01M82319JE9D8DHKQP4RAMHZXH');
INSERT INTO "id_externos" VALUES('01M82319K02CEFXP6EX45CV9NN','01M82319K0Z7B632C4XJZEVSMN');
INSERT INTO "id_externos" VALUES('01M82319Q5PK3TADFZJVXDKT31','01M82319Q58S781B669AWV3WC8');
INSERT INTO "id_externos" VALUES('01M82319QKFQN4W61WGCJ49AF4','01M82319QKS0W12Y27A75B0AVT');
INSERT INTO "id_externos" VALUES('01M82319R2KFN0YGMSBP9YJ8HW','01M82319QKS0W12Y27A75B0AVT');
INSERT INTO "id_externos" VALUES('01M82319RD63AGZ8V1GVPSY3KQ','01M82319RD730Z7Q6JHGFQ0F42');
INSERT INTO "id_externos" VALUES('01M82319S0G329CFCGSNKQD1Z0','01M82319S0K39ND7J8J3R1HQVS');
INSERT INTO "id_externos" VALUES('01M82319TAGRDR5J7V3A3RT936','01M82319TA1SGT9BA3NCMRHXEW');
CREATE TABLE notes (
    n    INTEGER PRIMARY KEY,
    sale TEXT NOT NULL,
    note TEXT                           -- sealed; personal: erased after the retention
);
INSERT INTO "notes" VALUES(1,'01M82319S0K39ND7J8J3R1HQVS','visto no portal');
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
INSERT INTO "sales" VALUES(1,'01M82319HKHK12CSDC8DXCMH4A','caixa-01','sold-tv','6484abc72e7c4f8cf714883072773d7e3de6470cf745e1e3acff8172584050f2','tv','auto','12345678','TV Mensal','',4900,'','{"tipoProduto":"ONLINE","valor":"4900","cpf":"529.982.247-25"}',NULL,'',1795366626867,1795366626877,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-22T13:57:06.869-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"001380939697\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,1,'[{"idExterno":"01M82319HKRP8D6P6NHDWRZ04W","state":"sold","idTransacao":"01M82319HNVBJ51JPD6NHMKTD3","createdAt":1795366626867,"confirmTime":1795366626869}]',1795366626877,'{"at":1795366626867,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795366626869,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":1,"state":"confirming"}
{"at":1795366626877,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":0,"state":"sold"}
{"at":1795366627301,"attempt":1,"event":"receipt","state":"sold"}');
INSERT INTO "sales" VALUES(2,'01M82319JE9D8DHKQP4RAMHZXH','caixa-01','sold-egift','87724adf5459c6d8d852e42efb0dd70aea003297cdc1a6c9ff6c9279a75c664e','egift','auto','12345678','Moedas do Jogo','Estudio Um',5000,'','{"tipoProduto":"ONLINE","tipoNegocio":1,"chaveProduto":"EG-MOEDAS","configuracaoId":"cfg-moedas-01","valor":"5000"}',NULL,'',1795366626894,1795366626906,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Estudio Um","dataHora":"2026-11-22T13:57:06.896-03:00"}','{"instrucao":"{\"estabelecimento\":\"Loja Sandbox\",\"produto\":\"Moedas do Jogo\",\"valor\":5000,\"token\":\"057876249508\",\"estabelecimentoId\":\"12345678\",\"urlAtivacao\":\"https://resgate.example/ativar/71940085254393731190\",\"dataTransacao\":\"22/11/2026 13:57:06\",\"transacaoId\":\"01M82319JGT4GQ6404FC8STBKX\"}"}',NULL,0,'[{"idExterno":"01M82319JE074X72T9G9CPF87F","state":"sold","idTransacao":"01M82319JGT4GQ6404FC8STBKX","createdAt":1795366626894,"confirmTime":1795366626896}]',1795366626906,'{"at":1795366626894,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795366626896,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"confirming"}
{"at":1795366626906,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":0,"state":"sold"}');
INSERT INTO "sales" VALUES(3,'01M82319K0Z7B632C4XJZEVSMN','caixa-01','sold-after-a-lost-confirm','299342d8c97d76431f64f0abfcf62e529b4df1690f79a6c3eee1cce6b717bf2c','tv','auto','12345678','TV Mensal','',4912,'','{"tipoProduto":"ONLINE","valor":"4912","cpf":"529.982.247-25"}',NULL,'',1795366626912,1795366627034,'EFETIVADA',1,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-22T13:57:06.917-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"394676067365\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,0,'[{"idExterno":"01M82319K02CEFXP6EX45CV9NN","state":"sold","idTransacao":"01M82319K5T72FTKZRMNB4K5B0","createdAt":1795366626912,"confirmTime":1795366626918}]',1795366627034,'{"at":1795366626912,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795366626918,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"confirming"}
{"at":1795366626924,"attempt":1,"event":"confirmar","known":"unknown","durationMs":0,"state":"confirming","detail":"the answer was lost: the connection was lost"}
{"at":1795366627034,"attempt":1,"event":"confirmar","known":"sold","httpStatus":200,"durationMs":2,"state":"sold"}');
INSERT INTO "sales" VALUES(4,'01M82319Q58S781B669AWV3WC8','caixa-01','refused','47cad179a683dc93a8c4f9ac604aa863af8ab0ed4f37974055a468bd27c0abba','tv','auto','12345678','TV Mensal','',4901,'','{"tipoProduto":"ONLINE","valor":"4901","cpf":"529.982.247-25"}',NULL,'',1795366627045,1795366627050,'NEGADA',1,'none','{"code":"refused","detail":"the provider refused the sale","providerStatus":422}','{"providerBody":"{\"erro\":\"recusada\",\"mensagem\":\"operacao recusada\"}"}',NULL,NULL,NULL,0,'[{"idExterno":"01M82319Q5PK3TADFZJVXDKT31","state":"refused","createdAt":1795366627045}]',1795366627050,'{"at":1795366627045,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795366627050,"attempt":1,"event":"solicitar","known":"refused","httpStatus":422,"durationMs":0,"state":"refused","detail":"the provider refused the sale"}');
INSERT INTO "sales" VALUES(5,'01M82319QKS0W12Y27A75B0AVT','caixa-01','lost','c4d63d4d90f520595374aa9c6c7324d8f2c579c39add8e3d9e3fa9a3c1e39a41','tv','auto','12345678','TV Mensal','',4902,'','{"tipoProduto":"ONLINE","valor":"4902","cpf":"529.982.247-25"}',NULL,'',1795366627059,1795366627266,'CANCELADA',1,'none','{"code":"response_lost","detail":"the answer was lost: the connection was lost"}',NULL,NULL,NULL,NULL,0,'[{"idExterno":"01M82319QKFQN4W61WGCJ49AF4","state":"cancelled","createdAt":1795366627059,"cancelTime":1795366627062},{"idExterno":"01M82319R2KFN0YGMSBP9YJ8HW","state":"cancelled","createdAt":1795366627074,"cancelTime":1795366627078}]',1795366627266,'{"at":1795366627059,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795366627062,"attempt":1,"event":"solicitar","known":"unknown","durationMs":0,"state":"retracting","detail":"the answer was lost: the connection was lost"}
{"at":1795366627074,"attempt":1,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":8,"state":"lingering","detail":"the provider says CANCELADA"}
{"at":1795366627074,"attempt":2,"event":"begun","state":"requesting"}
{"at":1795366627078,"attempt":2,"event":"solicitar","known":"unknown","durationMs":0,"state":"cancelling","detail":"the answer was lost: the connection was lost"}
{"at":1795366627086,"attempt":2,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":4,"state":"lingering","detail":"the provider says CANCELADA"}
{"at":1795366627175,"attempt":1,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":0,"state":"cancelled","detail":"the provider says CANCELADA"}
{"at":1795366627266,"attempt":2,"event":"cancelar","known":"cancelled","httpStatus":200,"durationMs":69,"state":"cancelled","detail":"the provider says CANCELADA"}');
INSERT INTO "sales" VALUES(6,'01M82319RD730Z7Q6JHGFQ0F42','caixa-01','waits-for-a-callback','b96e6bc4c2124e9056e1e6bb6773141153ecd26b69e450ff627b8d544bef9031','esim','auto','12345678','Chip Virtual','',2935,'','{"consumidor":{"cpf":"529.982.247-25","nome":"Zuleica Quaresma","email":"zuleica.quaresma@correio.example","nascimento":"21041985","telefone":11987654321,"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"}},"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"},"servicoId":"301","valorRecarga":1500,"valor":"2935"}','34efbd77ef655668da31976d62db6660d25036c97b122d2741f6d1500c73912b','',1795366627085,1795366627190,'AUTORIZADA',0,'no_callback',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Movel","dataHora":"2026-11-22T13:57:07.089-03:00"}',NULL,NULL,0,'[{"idExterno":"01M82319RD63AGZ8V1GVPSY3KQ","state":"awaiting","idTransacao":"01M82319RHAMFD4VE1PWA6VKKZ","createdAt":1795366627085}]',1795366627190,'{"at":1795366627085,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795366627090,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"awaiting"}
{"at":1795366627190,"attempt":1,"event":"elapsed","state":"awaiting"}');
INSERT INTO "sales" VALUES(7,'01M82319S0K39ND7J8J3R1HQVS','caixa-01','decided-by-a-person','b96e6bc4c2124e9056e1e6bb6773141153ecd26b69e450ff627b8d544bef9031','esim','auto','12345678','Chip Virtual','',2935,'','{"consumidor":{"cpf":"529.982.247-25","nome":"Zuleica Quaresma","email":"zuleica.quaresma@correio.example","nascimento":"21041985","telefone":11987654321,"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"}},"endereco":{"tipoEnderecoId":1,"cep":"01310-100","uf":"SP","cidade":"São Paulo","bairro":"Bela Vista","tipoLogradouroId":2,"logradouro":"Avenida Paulista","numeroLogradouro":1578,"complemento":"conjunto 11"},"servicoId":"301","valorRecarga":1500,"valor":"2935"}','30553d8ae1fb0daf9836b6f4637e51f90721613452b394887524c2ed0115bf39','',1795366627104,1795366627297,'EFETIVADA',1,'none','{"code":"operator"}','{"note":"visto no portal"}','{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Movel","dataHora":"2026-11-22T13:57:07.117-03:00"}',NULL,NULL,0,'[{"idExterno":"01M82319S0G329CFCGSNKQD1Z0","state":"sold","idTransacao":"01M82319SDN3J5PXEP6G5Z6V0H","createdAt":1795366627104}]',1795366627297,'{"at":1795366627104,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795366627118,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"awaiting"}
{"at":1795366627218,"attempt":1,"event":"elapsed","state":"awaiting"}
{"at":1795366627297,"attempt":1,"event":"resolved","known":"EFETIVADA","state":"sold"}');
INSERT INTO "sales" VALUES(8,'01M82319TA1SGT9BA3NCMRHXEW','caixa-01','held','e422b7216ec01e52726d9051cacaf9806681d9367fcc33b5a4d7f8c782133289','tv','manual','12345678','TV Mensal','',4900,'','{"tipoProduto":"ONLINE","valor":"4900","cpf":"529.982.247-25"}',NULL,'',1795366627146,1795366627162,'AUTORIZADA',0,'none',NULL,NULL,'{"estabelecimentoNome":"Loja Sandbox","cnpjCpf":"00.000.000/0001-00","fornecedor":"Operadora Norte","dataHora":"2026-11-22T13:57:07.161-03:00"}','{"instrucao":"{\"recargaTV\":{\"nsuFornecedor\":\"935826902011\",\"mensagens\":[\"RECARGA DE TV\",\"Ligue o decodificador e aguarde alguns minutos.\"],\"mensagem_validade\":\"Valido por 30 dias.\"}}"}',NULL,0,'[{"idExterno":"01M82319TAGRDR5J7V3A3RT936","state":"held","idTransacao":"01M82319TSBKCER36HYDJJAN7D","createdAt":1795366627146,"deadline":1795366657161}]',1795366627162,'{"at":1795366627146,"attempt":1,"event":"begun","state":"requesting"}
{"at":1795366627162,"attempt":1,"event":"solicitar","known":"authorised","httpStatus":200,"durationMs":0,"state":"held"}');
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
