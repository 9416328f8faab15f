"""`python -m lawsmith` is the command line."""

from lawsmith.cli import main

if __name__ == "__main__":
    main()
