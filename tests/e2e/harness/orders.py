"""Makes sell bodies that the sandbox's catalogue accepts. The last two digits of an amount choose what the sandbox
does."""
import itertools
import uuid

CPF = "529.982.247-25"
ENDERECO = {
    "tipoEnderecoId": 1,
    "cep": "01310-100",
    "uf": "SP",
    "cidade": "São Paulo",
    "bairro": "Bela Vista",
    "tipoLogradouroId": 2,
    "logradouro": "Avenida Paulista",
    "numeroLogradouro": 1578,
    "complemento": "conjunto 11",
}
CONSUMIDOR = {
    "cpf": CPF,
    "nome": "Zuleica Quaresma",
    "email": "zuleica.quaresma@correio.example",
    "nascimento": "21041985",
    "telefone": 11987654321,
}

_numbers = itertools.count(1)


def new_key():
    """Returns an Idempotency-Key that nobody has used."""
    return f"k{next(_numbers)}-{uuid.uuid4().hex[:12]}"


def tv(valor=4900, **more):
    return {"family": "tv", "produto": "TV Mensal", "valor": valor, "cpf": CPF} | more


def tv_dynamic(id_valor="101;2500", **more):
    return {"family": "tv", "produto": "TV Livre", "id_valor": id_valor} | more


def egift(valor=5000, **more):
    return {
        "family": "egift",
        "produto": "Moedas do Jogo",
        "fornecedor": "Estudio Um",
        "valor": valor,
        "tipoNegocio": 1,
        "chaveProduto": "EG-MOEDAS",
        "configuracaoId": "cfg-moedas-01",
    } | more


def transit(valor=2000, **more):
    """Makes a sell for the card that takes any amount in a range."""
    return {
        "family": "transit",
        "produto": "Bilhete",
        "numeroCartao": "1000000002",
        "tipoCredito": "2",
        "tipoProduto": "502",
        "descricao": "Recarga livre",
        "valor": valor,
    } | more


def transit_units(quantidade, **more):
    """Makes a sell for the card that is charged by the trip."""
    return {
        "family": "transit",
        "produto": "Bilhete",
        "numeroCartao": "1000000001",
        "tipoCredito": "1",
        "tipoProduto": "501",
        "descricao": "Bilhete unitario",
        "valor": 440 * quantidade,
        "quantidade": quantidade,
    } | more


def health(cents=None, **more):
    """Makes a sell whose amount is the partner's. The catalogue has a product for every outcome that the cents can
    choose."""
    if cents is None:
        return {"family": "health", "produto": "Consulta", "produtoIdParceiro": "7001", "valor": 5990} | more
    return {
        "family": "health",
        "produto": f"Consulta-{cents:02}",
        "produtoIdParceiro": f"{7100 + cents}",
        "valor": 6000 + cents,
    } | more


def esim(valor=2990, **more):
    return {
        "family": "esim",
        "produto": "Chip Virtual",
        "consumidor": CONSUMIDOR,
        "endereco": ENDERECO,
        "servicoId": "301",
        "valorRecarga": 1500,
        "valor": valor,
    } | more


def without(order, *names):
    return {name: value for name, value in order.items() if name not in names}
