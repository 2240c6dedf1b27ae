"""What commands refuse, with which error; nothing is written."""

import re
import shlex
import shutil
import sys

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from spacy_joint.cli.training.configs import CONFIGS
from spacy_joint.corpora.conllu import read_conllu

from ..cases import read_cases
from .jackknifing import TAGGER, write_config

# Commands, and for each what its error matches (a dot stands for a space) and arguments that cause it.
REFUSED = read_cases(r"""
annotate -m trained → J030 --format srt --max-width 0 | J030 --beam-width 0 | J040 --format-in ass | J040 --format xml
annotate -m trained → J040 --format csv --rows line
annotate -m trained → J040.*table,.spacy,.text,.markdown,.srt,.vtt,.csv,.brackets,.discbracket --format tiger
annotate -m trained → J129 - -m blank --line-breaks | J155 --format-in vtt --lines | J155 - --max-delay 9 --lines
annotate -m trained → J155 - --line-breaks --lines | J336 -m blank | J336 --format brackets | J402 missing.txt
annotate -m trained → J440.*the.command.reads text.txt -o text.txt | J468 --format-in turns | J470 --format srt
annotate -m trained → J716 --format spacy | J716 --format text --max-width 40 | J716 --wrap 40
annotate -m trained → J716 - --max-delay 9 -f json | J716 - --partial | J716 - --partial -f jsonl -o x.jsonl
annotate -m trained → J716 text.txt --max-delay 9 | J716.*requires.--format.json\. text.txt -o x.json
annotate -m trained → J716.*requires.--format.jsonl text.txt -o x.jsonl
annotate -m trained → J716.*requires.--format.srt text.txt -o x.srt | J718.*annotate-corpus .
annotate -m trained → J718.*annotate-corpus a.jsonl | J718.*annotate-corpus a.csv.gz | J718.*annotate-corpus a.parquet
annotate -m trained → J718.*annotate-corpus a.wet | J718.*convert a.conllu | J718.*convert a.conllu.gz
annotate -m trained → J718.*convert a.spacy | J718.*convert a.spacy.gz | J718.*convert a.ptb | J718.*convert a.ptb.gz
annotate -m trained → J718.*convert a.export | J718.*convert a.export.gz | E050 -m missing
annotate-corpus -o x → J040 a.txt --format table | J040 a.txt --format-in pdf | J712 ''
quotes → J040 --format xml | J402 missing.txt | J440.*the.command.reads list.txt text.txt -o text.txt
quotes → J716 -o x.html | J718 a.conllu
check-order -m trained → J030 --threshold nan | J040 --format xml | J129 --orderer trained | J402 missing.txt
check-order -m trained → J718 a.conllu
convert → J030 tiny_train.conllu x.spacy --leave-out ( | J040 a.pdf x.spacy | J040 tiny_train.conllu x.txt
convert → J040 trees.discbracket x.txt -f tiger | J040 trees.discbracket x.ptb --continuous latin
convert → J413 a.ptb x.spacy | J413 a.ptb x.conllu | J413 a.ptb x.discbracket
convert → J413 tiny_train.conllu x.spacy --leave-out .* | J440.*the.command.reads a.conllu ./a.conllu
convert → J559 trees.discbracket x.ptb
convert-quotes → J040 texts x.txt
check → J040 a.pdf | J101 missing | has.no..conllu.or..spacy.or..ptb blank | J413 empty.spacy
check → J505 tiny_chinese_train.conllu --language en | E048 tiny_train.conllu --language zz
tokenizer-exceptions -o x → E048 tiny_train.conllu --language zz
word-classes → J040 a.pdf -o x | J330 empty.spacy -o x | J403.*line.2 latin.txt -o x
word-classes → J440.*its.directory.is.a.file text.txt -o text.txt/classes
word-classes → E048 tiny_train.conllu --language zz -o x
evaluate → J155 trained tiny_dev.conllu --raw-text --unpunctuated
evaluate → J155 trained tiny_dev.conllu --raw-text --gold-sentences | J413 trained empty.spacy
evaluate → J440.*the.command.reads blank a.conllu -o blank/meta.json | J716 trained train.spacy --raw-text
evaluate-quotes → J129 blank train.spacy | J413 rules train.spacy
calibrate -o x → J129 blank tiny_dev.conllu | J523 en_joint_english tiny_dev.conllu
calibrate -o x → J646 en_joint_english tiny_german_dev.conllu --documents 2
finish → J030 trained x --components.joint_sbd_parser.model.beam_width 0 | J464.*list.json trained x --meta list.json
finish → line_breaks trained x --components.joint_sbd_parser.line_breaks 3
finish → not.a.section trained x --components.chunker.beam_width 4 | E053 texts x
distill → J102 blank -o x | J129 text.txt -o x --teacher blank | J129 text.txt -o x --teacher blank --projected
distill → J155 text.txt -o x --marks --projected | J402 missing.txt -o x
distill → J440.*the.command.reads texts -o blank/../texts | J651 list.txt -o x | J718 a.conllu -o x --lines
learn-order -o x → J040 a.pdf | J101 missing.txt | J330 a.tagged
jackknife → J030 config.cfg x.spacy --folds 1 | J030 config.cfg x.spacy --folds 6 | J040 config.cfg x.txt
jackknife → J040 config.cfg x.spacy --corpora.train.@readers spacy.Corpus.v1
jackknife → J101 config.cfg x.spacy --corpora.train.path missing.spacy
jackknife → J410 config.cfg x.spacy --training.max_epochs 0 | J411 config.cfg x.spacy --nlp.pipeline []
jackknife → J440.*the.command.reads a.cfg train.spacy --paths.train train.spacy
jackknife → J440.*the.command.reads paths.cfg train.spacy | J441.*A.config latin.cfg x.spacy
jackknife → J441.*A.config twice.cfg x.spacy | J710 config.cfg x.spacy --ray local
jackknife → Config.validation.error.*max_epochs config.cfg x.spacy --training.max_epochs many
train -o x → J441.*A.config latin.cfg | J441.*A.config twice.cfg
train tagger.cfg -o x --paths.train train.spacy --paths.dev train.spacy → J030 --training.max_epochs 0
train tagger.cfg -o x --paths.train train.spacy --paths.dev train.spacy → J710 --ray local
train-treebank -o x → J101 nothing | J521 a.conllu | J525 tiny_train.conllu | J524 tiny_train.conllu --language qqq
train-treebank -o x --language en → J030 tiny_train.conllu --name with-hyphen
train-treebank -o x --language en → J030 tiny_train.conllu --documents chapters
train-treebank -o x --language en → J040 tiny_train.conllu --components.sbd_parser.lower_case_starts true
train-treebank -o x --language en → J402 tiny_train.conllu --texts nothing.txt
train-treebank -o x --language en → J441 tiny_train.conllu --word-classes a.conllu | J522 --test tiny_train.conllu
download → J040.*.'lg' lg | J402 --from nowhere | J404 md
serve --port 0 → J710.*spacy-joint.ray --replicas 2 | J710.*spacy-joint.ray --ray auto | J743 --host 192.0.2.1
serve --port 0 → E05 none
""")
ROWS = [(command, *each.split(" ", 1)) for command, rows in (case.values for case in REFUSED) for each in rows]


def list_files(directory):
    return {path for path in directory.rglob("*") if path.is_file() and path.parent.name != "x.parts"}


@pytest.fixture(scope="module")
def inputs(assets, saved_pipeline, tmp_path_factory):
    """A directory of pipelines, corpora, texts and configs. Shared: commands do not change it."""
    directory = tmp_path_factory.mktemp("refused") / "inputs"
    (directory / "texts").mkdir(parents=True)
    (directory / "texts" / "a.txt").write_text("Hi there.")
    shutil.copytree(saved_pipeline, directory / "trained")
    spacy.blank("en").to_disk(directory / "blank")
    rules = spacy.blank("en")
    rules.add_pipe("quotation_spans")
    rules.to_disk(directory / "rules")
    for name in ("tiny_train", "tiny_dev", "tiny_german_dev", "tiny_chinese_train"):
        shutil.copy(assets / f"{name}.conllu", directory)
    shutil.copy(assets / "tiny_dev.conllu", directory / "a.conllu")
    shutil.copy(CONFIGS / "sequence_tagger.cfg", directory / "tagger.cfg")
    compressed = [f"{name}.gz" for name in ("conllu", "spacy", "ptb", "export")]
    for name in ("cfg", "csv.gz", "export", "jsonl", "parquet", "pdf", "ptb", "spacy", "tagged", "wet", *compressed):
        (directory / f"a.{name}").touch()
    docs = list(read_conllu(assets / "tiny_train.conllu", Vocab()))[:5]
    DocBin(docs=docs).to_disk(directory / "train.spacy")
    DocBin(docs=[Doc(Vocab())]).to_disk(directory / "empty.spacy")
    write_config(directory / "config.cfg", TAGGER, "spacy_joint.DocBinCorpus.v1", "train.spacy", {"augmenter": None})
    for name, content in {
        "text.txt": "Hi there.",
        "list.txt": "milk\n\neggs\n",
        "list.json": "[3]",
        "trees.discbracket": "(ROOT (SQ (VP (WP 0=Whom) (VB 3=meet)) (VBD 1=did) (NP (NNP 2=Ada)) (. 4=?)))\n",
        "latin.txt": "one\ncafé",
        "latin.cfg": "# café",
        "twice.cfg": "[paths]\ntrain = null\ntrain = null\n",
        "paths.cfg": "[paths]\ntrain = train.spacy\n",
    }.items():
        (directory / name).write_text(content, encoding="latin1")
    return directory


@pytest.mark.parametrize(("command", "error", "arguments"), ROWS, ids=map(" ".join, ROWS))
def test_what_does_not_fit_is_refused_before_anything_is_written(run, inputs, monkeypatch, command, error, arguments):
    monkeypatch.chdir(inputs)
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setattr("spacy_joint.cli.pipelines.download.__repository__", "")
    before = list_files(inputs)
    result = run(*shlex.split(f"{command} {arguments}"), text="hi there", fails=True)
    assert re.search(error, " ".join(result.output.split())), result.output
    assert list_files(inputs) == before
