"""What the tests of the real programs are made of: processes, a client, a lying network, a scripted provider."""
