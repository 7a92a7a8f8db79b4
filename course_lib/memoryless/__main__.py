"""The command has moved, with all others of its kind, to `studies/`."""

import sys

if __name__ == "__main__":
    sys.exit("the published study is run again by python studies/memoryless_study.py, from the course's folder")
