"""Commands for trained pipelines."""
