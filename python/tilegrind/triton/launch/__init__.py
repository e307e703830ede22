"""From the text of a kernel and the arrays of a launch to a module of ours."""
