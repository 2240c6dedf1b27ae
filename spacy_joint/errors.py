"""Every error that users can meet, in one catalogue: what was wrong, what is allowed, what to do.

The codes continue spaCy's style (`[E024] ...`) with a prefix of our own, `J`, so that they can be searched for. Codes are
never reused. Fill the placeholders with `Errors.J001.format(...)`.
"""


class _Catalogue(type):
    def __getattribute__(cls, code: str) -> str:
        message = super().__getattribute__(code)
        if code.startswith("J"):
            return f"[{code}] {message}"
        return message


class Errors(metaclass=_Catalogue):
    """The catalogue. Attributes are the codes; reading one gives the message with its code in front."""
