"""Joint prediction of sentence boundaries and dependency trees: `joint_sbd_parser`."""
