"""Reads transcripts (who said what when) from plain text, captions and the output of speech recognisers, and writes
them as text, captions and tables.

```
transcript = spacy_joint.transcripts.read("interview.vtt")
doc = nlp(spacy_joint.transcripts.make_doc(nlp, transcript))
spacy_joint.transcripts.write(doc, "interview.txt")
```
"""

from .documents import make_doc
from .reading import FORMATS, read, read_string
from .transcript import Transcript, Turn
from .writing import write, write_string

__all__ = ["FORMATS", "Transcript", "Turn", "make_doc", "read", "read_string", "write", "write_string"]
