"""Annotation of corpora of any size. Modules only import earlier ones: `storage` and `records`; `partitions` of
records; `shards` of documents; the `manifest` of an output; an `annotator` of partitions, in a `worker`; `local_runner`
and `ray_runner`, which call workers; and `corpus`, a run from inputs to manifest."""
