// Crowds of ropes, as games and heaps have them, under a budget: judged from outside as the violent scenes
// are.
#ifndef CORDAGE_TEST_VIOLENT_CROWD_H
#define CORDAGE_TEST_VIOLENT_CROWD_H

// test_violent --crowd game|heap [--ropes N] [--elements N] [--steps N] [--iterations N] [--seconds S]
//              [--sleep S] [--tolerance SHARE] [--threads N] [--unchecked]
// Prints what the steps took and left; --unchecked leaves the checker out, to measure larger crowds. Returns
// 0 if nothing passed, overlapped too deep, gained energy or failed.
int crowd_main(int argc, char** argv);

#endif
