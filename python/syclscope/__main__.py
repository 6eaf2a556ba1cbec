"""``python -m syclscope`` runs the program that this package uses."""

import os
import sys

from .errors import SyclscopeError
from .program import find_program

if __name__ == "__main__":
    try:
        program = find_program()
    except SyclscopeError as error:
        sys.exit(f"syclscope: {error}")
    os.execv(program, ["syclscope", *sys.argv[1:]])
