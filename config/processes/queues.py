"""Which queue a background job is in, by its task's name.

A worker does one thing at a time, and an import, a regrouping or a night's audit takes minutes. So there are two
queues and a worker for each: `celery`, Celery's own name, for what somebody waits for (webhooks, what a deposit left to
do), in runs of seconds; and `bulk` for all that may take long. A worker that names no queue serves both, one after the
other: that loses nothing, and delays webhooks by whatever runs. Messages of a version that knew one queue are in the
first.
"""

from kombu import Exchange, Queue

PROMPT, BULK = "celery", "bulk"
PROMPT_TASKS = frozenset(
    {
        "accounts.deliver_webhooks",
        "knowledge.embed_waiting",
        "knowledge.infer_due",
        "knowledge.reconsider",
        "sessions.recover_silent",
        "skills.embed_skills",
    }
)
BULK_TASKS = frozenset(
    {
        "evidence.check_sources",
        "evidence.compare_deposits",
        "evidence.connect",
        "evidence.cool",
        "evidence.read_documents",
        "knowledge.audit",
        "knowledge.background_jobs",
        "knowledge.erase_forgotten",
        "knowledge.fade",
        "knowledge.forget_old",
        "knowledge.infer",
        "knowledge.judge_pairs",
        "knowledge.recount",
        "knowledge.regroup",
        "knowledge.regroup_grown",
        "knowledge.reweigh_drifted",
        "sessions.drop_old",
        "sessions.drop_old_passages",
        "sessions.embed_passages",
        "sessions.place_passages",
        "sessions.propose_by_model",
        "sessions.propose_passages",
    }
)

QUEUES = tuple(Queue(name, Exchange(name), routing_key=name) for name in (PROMPT, BULK))
ROUTES = {task: {"queue": BULK} for task in BULK_TASKS}
