"""Characters that XML cannot represent."""

import re

NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""A character that is not allowed, even escaped."""
