"""The command line, for `python -m tacit`."""

from tacit.cli.main import app

if __name__ == "__main__":
    app(prog_name="tacit")
