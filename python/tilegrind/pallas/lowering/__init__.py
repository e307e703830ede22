"""From a jaxpr to a kernel's operations: the converter, which calls the rule of each primitive, and where its kernel runs: cores, devices,
the model of a TPU."""
