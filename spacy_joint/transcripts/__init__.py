"""Transcripts: who said what when, read from plain text, captions and the output of speech recognisers.

```
transcript = spacy_joint.transcripts.read("interview.vtt")
doc = nlp(spacy_joint.transcripts.make_doc(nlp, transcript))
```
"""

from .documents import make_doc
from .reading import FORMATS, read, read_string
from .transcript import Transcript, Turn

__all__ = ["FORMATS", "Transcript", "Turn", "make_doc", "read", "read_string"]
