"""What a problem's findings predict, and what its fix gains.

In a problem's folder, with both programs compiled: python3 ../gains.py PROGRAM [OPTIONS OF syclscope record]
Records both nine times by turns. Predicted is what the report of `before` says of all its findings together; achieved is how much sooner `after` gets
from the begin of its first command to the end of its last. Both are medians, with the quartiles.
"""

import json
import statistics
import subprocess
import sys

RUNS = 9


def report(program, options, file):
    subprocess.run(
        ["syclscope", "record", "--force", "-q", *options, "-o", file, "--", program], check=True, stdout=subprocess.DEVNULL
    )
    summary = subprocess.run(["syclscope", "summary", "--json", file], check=True, capture_output=True)
    return json.loads(summary.stdout)["report"]


def commands_ns(report):
    split = report["split"]
    return split["run_ns"] - split["idle"]["start_ns"] - split["idle"]["end_ns"]


def print_quartiles(name, values):
    low, middle, high = statistics.quantiles(values, n=4)
    print(f"{name}: {middle / 1e6:.2f} ms ({low / 1e6:.2f} to {high / 1e6:.2f})")


def main(program, *options):
    predicted, achieved = [], []
    for number in range(RUNS):
        before = report(f"before/{program}", options, f"gain-before-{number}.pftrace")
        after = report(f"after/{program}", options, f"gain-after-{number}.pftrace")
        # Where the replay of a run is refused, it predicts nothing.
        if any(finding["gain"] for finding in before["findings"]):
            predicted.append(before["together_ns"])
        achieved.append(commands_ns(before) - commands_ns(after))
    if len(predicted) > 1:
        print_quartiles("predicted, at most", predicted)
    print_quartiles("achieved", achieved)


main(*sys.argv[1:])
