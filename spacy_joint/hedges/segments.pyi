from collections.abc import Sequence
from typing import Final

from typing_extensions import Self

from ..tagging.system import SequenceSystem

MAX_SPAN: Final[int]

class SegmentSystem(SequenceSystem):
    def __new__(cls, labels: Sequence[str], max_span: int = 7) -> Self: ...
