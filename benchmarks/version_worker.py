"""Runs in each Python of `versions.py`: measures the version of spacy_joint that is installed there.

Reads lines "JOB" and answers each with the CPU seconds it took and a digest of the predictions. Uses only features that
every version has.
"""

import hashlib
import json
import sys
import time

from spacy.attrs import DEP, HEAD, SENT_START, TAG
from spacy.tokens import DocBin

import spacy_joint

PARSER = "joint_sbd_parser"


def main() -> None:
    """Answer until there are no more lines."""
    pipelines = {beam: spacy_joint.load(beam_width=beam) for beam in (None, 8, 1)}
    nlp = pipelines[None]
    docs = list(DocBin().from_disk(sys.argv[1]).get_docs(nlp.vocab))
    tagged = list(nlp.get_pipe("sequence_tagger").pipe(doc.copy() for doc in docs))
    print("ready", flush=True)
    for line in sys.stdin:
        job = line.strip()
        copies = [doc.copy() for doc in (docs if job == "pipeline" else tagged)]
        pipe = nlp.pipe if job == "pipeline" else pipelines[int(job)].get_pipe(PARSER).pipe
        start = time.process_time()
        annotated = list(pipe(copies))
        seconds = time.process_time() - start
        digest = hashlib.sha256(b"".join(doc.to_array([TAG, HEAD, DEP, SENT_START]).tobytes() for doc in annotated))
        print(json.dumps({"seconds": seconds, "digest": digest.hexdigest()}), flush=True)


if __name__ == "__main__":
    main()
