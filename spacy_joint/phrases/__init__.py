"""Shift-reduce parsing of whole constituency trees, also discontinuous ones (Maier 2015, Coavoux & Crabbé 2017)."""
