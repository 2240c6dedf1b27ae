"""Annotation of a corpus of any size. Modules only import those before them: `storage` and `records`; `partitions` of
records; `shards` of documents; the `manifest` of an output; an `annotator` of partitions, in a `worker`; a
`local_runner` and a `ray_runner` that call workers; and `corpus`, a run from its inputs to its manifest."""
