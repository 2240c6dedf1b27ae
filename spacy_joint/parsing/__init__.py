"""Sentence boundaries and dependency trees, jointly: `joint_sbd_parser`."""
