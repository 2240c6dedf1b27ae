"""Corpora, training and serving on many processes and machines. Only commands import it, and it imports Ray inside
functions, since Ray is an extra.

```
storage     files and directories anywhere: listing, opening, replacing
cluster     the connection to Ray, and what its actors share
```

A corpus of any size is annotated in this order; each line is a module that imports only those above it:

```
records     the records of files in all formats
pieces      about a megabyte of whole records, named by content
shards      annotated documents as the bytes of an output file
annotator   the map function: a piece becomes a shard, once
manifest    what was asked for, and what is done
local_engine  ray_engine    who calls the map function
corpus      a run from its inputs to its manifest
```

With Ray, `training` runs passes over shards of a corpus (`training/shards.py`), `tuning` trainings with different
settings, `tasks` the folds of `jackknife`, and `serving` replicas of the server.
"""
