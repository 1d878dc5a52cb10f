"""These are the stores of the end-to-end tests, whose harness run.sh puts on the path."""
import importlib.util
import pathlib

_file = pathlib.Path(__file__).resolve().parents[1] / "e2e/conftest.py"
_spec = importlib.util.spec_from_file_location("e2e_fixtures", _file)
_fixtures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_fixtures)

new_shop = _fixtures.new_shop
pytest_sessionstart = _fixtures.pytest_sessionstart
