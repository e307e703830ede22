"""What golden checks are worth, as tables: ./bootstrap golden."""
