"""cordage reproduce: the experiment passes, and finds the figures that the documents quote of it.

    python3 test_reproduce.py ID DIRECTORY     the directory takes its tables and plots
"""

import glob
import os
import sys
import unittest

from figures import check, comments
from program import SceneTest

ID, DIRECTORY = sys.argv[1:3]


class Reproduce(SceneTest):
    def test_passes_and_finds_the_figures_of_the_documents(self):
        outcome = self.good("reproduce", ID, "--quick", "-o", DIRECTORY, timeout=600)
        print(outcome.out + outcome.err)
        printed = [outcome.out]
        for path in glob.glob(os.path.join(DIRECTORY, ID + ".csv")) + glob.glob(os.path.join(DIRECTORY, ID + "-*.csv")):
            with open(path) as file:
                printed.append(file.read())
        for comment in comments():
            if comment.command == "cordage reproduce " + ID:
                check(self, comment, "\n".join(printed))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
