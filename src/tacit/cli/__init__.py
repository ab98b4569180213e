"""The command line, `tacit`: one file for each command, and what several of them have in common."""
