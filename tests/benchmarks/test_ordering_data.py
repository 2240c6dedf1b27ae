"""Unpacking text to learn from: each file of each archive, without what is evaluated on."""

import zipfile

from ordering_data import unpack_text


def test_files_of_the_same_name_are_kept_and_evaluated_texts_left_out(tmp_path):
    for name in ("state_union", "inaugural"):
        with zipfile.ZipFile(tmp_path / f"{name}.zip", "w") as archive:
            for file in ("README", "1981-Reagan.txt", "1985-Reagan.txt"):
                archive.writestr(f"{name}/{file}", f"{name} {file}")
        unpack_text(tmp_path / f"{name}.zip", tmp_path / "text")
    found = {path.name: path.read_text(encoding="utf8") for path in (tmp_path / "text").iterdir()}
    assert found == {
        "state_union_1981-Reagan.txt": "state_union 1981-Reagan.txt",
        "state_union_1985-Reagan.txt": "state_union 1985-Reagan.txt",
        "inaugural_1985-Reagan.txt": "inaugural 1985-Reagan.txt",
    }
