"""Unpacks the corpora of `ordering.py` from their archives: NLTK's zips of the Brown corpus and of the Penn Treebank
sample, and GUM's constituency trees, split in the same way as its dependency trees.
"""

import argparse
import re
import zipfile
from pathlib import Path, PurePosixPath

PARTS = ("train", "dev", "test")
# The numbers of the first dev and test files in the Treebank sample.
FIRST_DEV, FIRST_TEST = 160, 180
# Of these archives: texts that GUM has for development (GUM_speech_inauguration), so nothing may learn from them.
EVALUATED = {"inaugural": ["1981-Reagan.txt"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brown", type=Path, help="NLTK's brown.zip")
    parser.add_argument("--treebank", type=Path, help="NLTK's treebank.zip")
    parser.add_argument("--gum", type=Path, help="directory `const` of GUM, one .ptb file per document")
    parser.add_argument(
        "--ud-gum",
        type=Path,
        help="directory with the train, dev and test files of UD English GUM, whose split is used",
    )
    parser.add_argument("--leave-out", default="$^", help="regex of GUM documents to leave out of train")
    parser.add_argument("--text", type=Path, nargs="*", default=[], help="NLTK's zips of .txt files")
    parser.add_argument("output", type=Path, help="directory to make `brown`, `wsj`, `gum` and `text` in")
    arguments = parser.parse_args()
    if arguments.brown:
        unpack_brown(arguments.brown, arguments.output / "brown")
    if arguments.treebank:
        unpack_treebank(arguments.treebank, arguments.output / "wsj")
    if arguments.gum:
        divide_gum(arguments.gum, arguments.ud_gum, arguments.output / "gum", arguments.leave_out)
    for archive in arguments.text:
        unpack_text(archive, arguments.output / "text")


def unpack_text(archive: Path, output: Path) -> None:
    output.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive) as files:
        for path in map(PurePosixPath, files.namelist()):
            is_text = path.suffix == ".txt" and not path.name.lower().startswith("readme")
            if is_text and path.name not in EVALUATED.get(archive.stem, ()):
                # Some files are in older encodings.
                text = files.read(str(path)).decode("utf8", "replace")
                # Two archives have files of the same name.
                (output / f"{archive.stem}_{path.name}").write_text(text, encoding="utf8")


def unpack_brown(archive: Path, output: Path) -> None:
    output.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive) as files:
        for name in files.namelist():
            if re.fullmatch(r"c[a-r]\d\d", Path(name).name):
                (output / Path(name).name).write_bytes(files.read(name))


def unpack_treebank(archive: Path, output: Path) -> None:
    with zipfile.ZipFile(archive) as files:
        for name in files.namelist():
            match = re.search(r"combined/(wsj_(\d{4})\.mrg)$", name)
            if match:
                number = int(match[2])
                part = PARTS[(number >= FIRST_DEV) + (number >= FIRST_TEST)]
                (output / part).mkdir(parents=True, exist_ok=True)
                (output / part / match[1]).write_bytes(files.read(name))


def divide_gum(trees: Path, treebank: Path, output: Path, leave_out: str) -> None:
    output.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        (path,) = treebank.glob(f"*gum*{part}.conllu")
        text = path.read_text(encoding="utf8")
        documents = re.findall(r"^# newdoc id = (\S+)", text, re.MULTILINE)
        if part == "train":
            documents = [document for document in documents if not re.match(leave_out, document)]
        content = "".join((trees / f"{document}.ptb").read_text(encoding="utf8") + "\n" for document in documents)
        (output / f"{part}.ptb").write_text(content, encoding="utf8")


if __name__ == "__main__":
    main()
