"""The suite of evidence search: ranking against BM25 and ripgrep, sampling, reuse, speed."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from sessions_app.lab.corpora.evidence_answers import assemble, questions
from sessions_app.lab.corpora.planted_tokens import GB, planted_files
from sessions_app.lab.measurements import evidence, evidence_answers, evidence_planted, evidence_speed
from sessions_app.lab.measurements.evidence import EvidenceCorpus, EvidenceLine
from sessions_app.lab.metrics.tables import Table, decimal
from sessions_app.lab.suites.suite import SuiteOutcome, SuiteRequest, evaluator
from sessions_app.lab.throwaway import throwaway_database

DOCUMENTS = ("djangodocs", "tldr")
# Questions with answers and without, over files that every machine has.
ANSWERS = "answers"
# Tokens in files up to 1 GB, written for it one at a time; not of the default choice.
PLANTED = "planted"
CODE = "swebench_lite"
# Sampling is measured on files joined from these, speed over about this many files.
JOINED_FROM = "djangodocs"
FILES, FILES_FROM = 10_000, "tldr"
SPEED_QUESTIONS = 20


def evaluate_evidence(wanted: SuiteRequest) -> SuiteOutcome:
    """Files ranked by each mode against BM25 and ripgrep; sampling, reuse, speed; whether answers cite the right file,
    abstain, and are as sure as they are right. --sets may name djangodocs, tldr, swebench_lite=DIR, the unpacked source
    of Django 4.2.16, and two that need no data: answers, and planted, fifty tokens in files of 1 kB to 1 GB.
    """
    sets = dict(name.partition("=")[::2] for name in wanted.sets or (*DOCUMENTS, ANSWERS))
    apart = {ANSWERS: _answers, PLANTED: _planted}
    outcomes = [measure(wanted) for name, measure in apart.items() if sets.pop(name, None) is not None]
    if sets:
        outcomes.insert(0, _ranked(wanted, sets))
    figures = {name: found for one in outcomes for name, found in one.figures.items()}
    tables = [table for one in outcomes for table in one.tables]
    return SuiteOutcome(figures, tables, [missed for one in outcomes for missed in one.missed])


def _ranked(wanted: SuiteRequest, sets: dict[str, str]) -> SuiteOutcome:
    """Everything but the answers."""
    with TemporaryDirectory(prefix="loam-evidence-") as below, evidence.only_below(Path(below)), throwaway_database():
        corpora = [_corpus(wanted, name, where, Path(below)) for name, where in sets.items()]
        lines = {corpus.name: _lines(corpus, wanted) for corpus in corpora}
        by_name = {corpus.name: corpus for corpus in corpora}
        figures: dict[str, Any] = {
            "ranking": {name: {one.way: one.figures for one in some} for name, some in lines.items()}
        }
        figures["reuse"] = evidence_speed.measure_reuse()
        tables = [_ranking_table(lines, by_name), _confidence_table(lines), *_reuse_tables(figures["reuse"])]
        if JOINED_FROM in by_name:
            figures["sampling"] = _sampling(by_name[JOINED_FROM], wanted)
            tables.append(_sampling_table(figures["sampling"]))
        if FILES_FROM in by_name:
            figures["speed"] = _speed(by_name[FILES_FROM], wanted)
            tables.append(_speed_table(figures["speed"]))
    return SuiteOutcome(figures, tables)


# What the answers are held to: the share of each, and the largest error of the confidence.
RIGHT = {"FAST": 0.85, "DEEP": 0.93}
ABSTAINED = 0.95
CALIBRATION_ERROR = 0.08


def _answers(wanted: SuiteRequest) -> SuiteOutcome:
    """Questions over an assembled corpus, with the figures of both halves and what of the bars was missed."""
    with TemporaryDirectory(prefix="loam-answers-") as below, evidence.only_below(Path(below)), throwaway_database():
        root = Path(below)
        folders = assemble(root)
        by = evidence_answers.register_sources(root=root, folders=folders, by=evaluator(), now=wanted.now)
        asked = [one for one in questions() if one.source in folders]
        rows = evidence_answers.ask_all(questions=asked, by=by, now=wanted.now, progress=wanted.progress)
    figures = {
        mode.value: {
            half: evidence_answers.figures([row for row in rows if row.mode is mode and row.question.held_out is held])
            for half, held in (("fitted on", False), ("held out", True))
        }
        for mode in evidence_answers.MODES
    }
    fitted = evidence_answers.fit([row for row in rows if not row.question.held_out])
    return SuiteOutcome({"answers": figures, "fit": fitted}, [_answers_table(figures)], _missed(figures))


def _answers_table(figures: dict[str, dict[str, dict[str, float]]]) -> Table:
    columns = ["", "questions", "right file cited", "without an answer", "abstained", "calibration error", "p50 ms"]
    rows = [
        [
            f"{mode}, {half}",
            f"{one['answered']:.0f}",
            decimal(one["right_file_cited"], 2),
            f"{one['unanswerable']:.0f}",
            decimal(one["abstained"], 2),
            decimal(one["expected_calibration_error"]),
            f"{one['p50_ms']:,.0f}",
        ]
        for mode, halves in figures.items()
        for half, one in halves.items()
    ]
    return Table("Answers", columns, rows, "The confidence was fitted on one half of the questions.")


def _missed(figures: dict[str, dict[str, dict[str, float]]]) -> list[str]:
    """The bars that were missed on the half nothing was fitted on, in words."""
    missed = []
    for mode, halves in figures.items():
        held = halves["held out"]
        if held["right_file_cited"] < RIGHT[mode]:
            missed.append(f"{mode} cites the right file {held['right_file_cited']:.2f} of {RIGHT[mode]}")
        if held["abstained"] < ABSTAINED:
            missed.append(f"{mode} abstains {held['abstained']:.2f} of {ABSTAINED}")
        if held["expected_calibration_error"] > CALIBRATION_ERROR:
            missed.append(f"{mode} is off by {held['expected_calibration_error']:.3f}, over {CALIBRATION_ERROR}")
    return missed


# What the planted tokens are held to: the share found; seconds of a question to 1 GB; bytes of this process.
FOUND = 0.98
SECONDS = 2.0
MEMORY = 400_000_000
# Of it, what a server has in use before the first question; the measuring process has more.
SERVER = 330_000_000


def _planted(wanted: SuiteRequest) -> SuiteOutcome:
    """Tokens planted in files of each kind, with what of the bars was missed."""
    with TemporaryDirectory(prefix="loam-planted-") as below, evidence.only_below(Path(below)), throwaway_database():
        rows = evidence_planted.ask_for_tokens(
            files=planted_files(), root=Path(below), by=evaluator(), now=wanted.now, progress=wanted.progress
        )
    by_file: dict[str, list[evidence_planted.FoundToken]] = {}
    for row in rows:
        by_file.setdefault(row.planted.file.name, []).append(row)
    figures = {name: evidence_planted.figures(some) for name, some in by_file.items()} | {
        "all": evidence_planted.figures(rows)
    }
    lost = [row.planted for row in rows if not row.found]
    missed = [f"{one.token} of {one.file.name}, line {one.line}, is not found" for one in lost]
    if figures["all"]["found"] >= FOUND:
        missed = []
    slow = [row for row in rows if row.planted.file.size >= GB and row.took > SECONDS]
    if slow:
        missed.append(f"{len(slow)} questions to a file of 1 GB took over {SECONDS:.0f} s")
    if any(row.grown > MEMORY - SERVER for row in rows):
        missed.append(f"a question took {figures['all']['grown_mb']:.0f} MB, over {(MEMORY - SERVER) / 1e6:.0f}")
    return SuiteOutcome({"planted": figures}, [_planted_table(figures, by_file)], missed)


def _planted_table(
    figures: dict[str, dict[str, float]], by_file: dict[str, list[evidence_planted.FoundToken]]
) -> Table:
    columns = ["file", "MB", "tokens", "found", "p50 s", "longest s", "CPU p50 s", "CPU most s", "grown MB"]
    rows = [
        [
            name,
            f"{by_file[name][0].planted.file.size / 1e6:g}" if name in by_file else "",
            f"{one['tokens']:.0f}",
            decimal(one["found"], 2),
            *(f"{one[key]:.2f}" for key in ("p50_s", "most_s", "cpu_p50_s", "cpu_most_s")),
            f"{one['grown_mb']:.0f}",
        ]
        for name, one in figures.items()
    ]
    child = (
        f"The process had {figures['all']['memory_mb']:.0f} MB at most, the largest program that was started "
        f"{figures['all']['child_mb']:.0f}."
    )
    return Table("Planted tokens", columns, rows, child)


def _corpus(wanted: SuiteRequest, name: str, where: str, below: Path) -> EvidenceCorpus:
    if name == CODE:
        return evidence.source_code(data=wanted.data, package=Path(where), into=below)
    if name not in DOCUMENTS:
        raise evidence.NoSuchCorpus(f"Unknown set '{name}'; available: {', '.join((*DOCUMENTS, CODE))}.")
    return evidence.laid_out(data=wanted.data, name=name, into=below)


def _lines(corpus: EvidenceCorpus, wanted: SuiteRequest) -> list[EvidenceLine]:
    by = evidence.searcher(corpus=corpus, by=evaluator(), now=wanted.now)
    return evidence.ranking(corpus=corpus, by=by, now=wanted.now, progress=wanted.progress)


def _sampling(corpus: EvidenceCorpus, wanted: SuiteRequest) -> dict[str, float]:
    questions = [(one.text, {path for path, grade in one.grades.items() if grade > 0}) for one in corpus.questions]
    return evidence_speed.measure_sampling(folder=corpus.folder, questions=questions, progress=wanted.progress)


def _speed(corpus: EvidenceCorpus, wanted: SuiteRequest) -> dict[str, Any]:
    """Over the collection's files, and copies of them up to the number that was set."""
    paths = [path for path in sorted(corpus.folder.rglob("*")) if path.is_file()]
    for number in range(max(0, FILES - len(paths))):
        copy = corpus.folder / "again" / paths[number % len(paths)].relative_to(corpus.folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(paths[number % len(paths)].read_bytes())
    by = evidence.searcher(corpus=corpus, by=evaluator(), now=wanted.now)
    questions = [one.text for one in corpus.questions[:SPEED_QUESTIONS]]
    return evidence.speed(folder=corpus.folder, questions=questions, by=by, now=wanted.now, progress=wanted.progress)


# --- tables -----------------------------------------------------------------------------------------------------
def _ranking_table(lines: dict[str, list[EvidenceLine]], corpora: dict[str, EvidenceCorpus]) -> Table:
    names = list(lines)
    columns = [
        "nDCG@10 / recall@10, p50 / p95 ms",
        *(f"{name} ({len(corpora[name].questions)})" for name in names),
        "mean",
    ]
    rows = []
    for at, first in enumerate(next(iter(lines.values()), [])):
        some = [lines[name][at] for name in names]
        cells = [_cell(one) for one in some]
        rows.append([str(first.way), *cells, decimal(float(np.mean([one.ndcg_10 for one in some])))])
    chosen = [name for name in names if not corpora[name].held_out]
    note = f"Questions are of the half nothing was chosen on, but in {', '.join(chosen)}." if chosen else ""
    return Table("Files ranked", columns, rows, note)


def _cell(line: EvidenceLine) -> str:
    figures = line.figures
    return f"{decimal(line.ndcg_10)} / {decimal(line.recall_10)}, {figures['p50_ms']:,.0f} / {figures['p95_ms']:,.0f}"


# Answers are told apart by how sure they were.
BANDS = (0.0, 0.25, 0.5, 0.75, 0.9)


def _confidence_table(lines: dict[str, list[EvidenceLine]]) -> Table:
    """Of answers as sure as that, how many had a file that answers among the first three."""
    ways = [at for at, line in enumerate(next(iter(lines.values()), [])) if line.sure]
    columns = ["confidence", *(str(next(iter(lines.values()))[at].way) for at in ways)]
    rows = []
    for least, most in zip(BANDS, (*BANDS[1:], 1.01), strict=True):
        cells = []
        for at in ways:
            told = [right for some in lines.values() for sure, right in some[at].sure if least <= sure < most]
            cells.append(f"{decimal(float(np.mean(told)), 2)} of {len(told)}" if told else "–")
        rows.append([f"{least:.2f} to {min(most, 1):.2f}", *cells])
    return Table("What a confidence is worth: the share that was right", columns, rows)


def _reuse_tables(reuse: dict[str, Any]) -> list[Table]:
    columns = [
        "cosine at least",
        "paraphrases, evidence in the words of one question",
        "of both",
        "look-alikes, either way",
        "paraphrases, cosine alone",
        "look-alikes, cosine alone",
    ]
    names = ("paraphrases", "paraphrases_in_both", "look_alikes", "paraphrases_by_cosine", "look_alikes_by_cosine")
    return [
        Table(
            f"Reuse, questions {which}: the share that is answered from a cluster (at {reuse['threshold']:.2f})",
            columns,
            [[f"{row['cosine']:.2f}", *(decimal(row[name], 2) for name in names)] for row in curve],
            f"Of all pairs of unrelated questions {decimal(reuse['strangers'], 4)} are as near.",
        )
        for which, curve in reuse["curves"].items()
    ]


def _sampling_table(found: dict[str, float]) -> Table:
    columns = ["", "evidence in the file that answers", "best window of all found", "characters scored"]
    rows = [
        ["every window scored", decimal(found["whole"]), "1.000", "100 %"],
        [
            "sampled",
            decimal(found["sampled"]),
            decimal(found["best"]),
            f"{found['share_mean']:.1%} (at most {found['share_most']:.1%})",
        ],
        ["sampled / every", decimal(found["ratio"]), decimal(found["best"]), ""],
    ]
    texts = f"{found['texts']:.0f} texts from {found['shortest']:,.0f} characters"
    return Table(f"Sampling: {found['questions']:.0f} questions, {texts}", columns, rows)


def _speed_table(speed: dict[str, Any]) -> Table:
    rows = [
        [way, str(one["asked"]), f"{one['p50_ms']:,.0f}", f"{one['p95_ms']:,.0f}"] for way, one in speed["ways"].items()
    ]
    return Table(f"Speed over {speed['files']:,} files", ["", "questions", "p50 ms", "p95 ms"], rows)
