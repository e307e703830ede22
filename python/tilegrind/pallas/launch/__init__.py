"""One launch as one kernel: a `pallas_call`, or a launch of Mosaic GPU."""
