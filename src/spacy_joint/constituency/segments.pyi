from collections.abc import Sequence

from ..tagging.system import TaggingSystem

class SegmentSystem(TaggingSystem):
    @property
    def max_span(self) -> int: ...
    def __init__(self, labels: Sequence[str], max_span: int = 7) -> None: ...
