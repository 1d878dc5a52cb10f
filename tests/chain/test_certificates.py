"""The gateway meets a database server that is not the one that it was told to call."""
from harness import orders
from harness.certificates import make_authority, signed
from harness.chain import said_of, sell_until_told
from harness.orders import new_key
from harness.postgres import USER
from harness.processes import GATEWAY, run_to_end
from harness.waiting import eventually


def refusal(gateway):
    """Returns the words of a gateway that does not start."""
    code, out, err = run_to_end([*gateway.wrapper, GATEWAY, "--config", str(gateway.config)], gateway.folder)
    assert code == 1, f"{code}: {out}{err}"
    return out + err


def test_a_certificate_of_an_authority_that_is_not_trusted_is_refused_in_words(new_world, tmp_path):
    world = new_world()
    gateway = world.gateways["box-1"]
    stranger, _ = make_authority(tmp_path, "stranger")
    gateway.document["journal"]["url"] = world.cluster.url.replace(str(world.cluster.authority[0]), str(stranger))
    gateway.write_config()
    assert "certificate verify failed" in refusal(gateway)


def test_a_certificate_of_another_name_is_refused_in_words_also_by_a_gateway_that_runs(new_world, tmp_path):
    words = 'server certificate for "db-9.example" does not match host name "db-1.example"'
    world = new_world({"sale.confirm_window": "1m"})
    server = world.cluster.primary
    gateway = world.gateways["box-2"]
    gateway.start_ready()
    right = signed(tmp_path, "right", world.cluster.authority, names="DNS:db-1.example")
    wrong = signed(tmp_path, "wrong", world.cluster.authority, names="DNS:db-9.example")

    def show(made):
        server.show_certificate(made)
        server.configure("SELECT")  # this only makes it read everything again
        server.sql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{USER}'")

    show(wrong)
    assert words in refusal(world.gateways["box-1"])
    gateway.await_event("journal.away")
    assert words in gateway.await_event("journal.unavailable")["detail"]
    assert words in gateway.admin.get("/readyz").json["detail"], gateway.admin.get("/readyz").json
    said_of(gateway.terminal().sell, orders.tv(), new_key(), 1).of(503, "journal_unavailable")

    show(right)
    gateway.await_event("journal.back")
    assert sell_until_told([gateway], orders.tv(), new_key()).of(200).json["outcome"] == "sold"
