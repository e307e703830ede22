"""Very many runs as small pure units of work (docs/sweep.md).

A plan is a list of units.  The name of a unit is the SHA-256 of what it says, and what it says decides every bit of its
result.  So any number of processes on any number of machines may run any unit any number of times: the first result is
kept, equal ones change nothing, and one that differs is a finding.

``kinds`` lists what a unit may do, ``store`` keeps results, ``drive`` runs what a store lacks, ``summary`` merges.
"""
