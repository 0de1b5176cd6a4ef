"""The tools that are listed only in the toolset `all`."""

from sessions_app.mcp import result_texts, routes
from sessions_app.mcp.catalogue.arguments import NUMBER, REPO, SESSION, STRING, TEAM
from sessions_app.mcp.tool import Call, Tool

MORE = (
    Tool(
        name="report_contradiction",
        title="Report two that contradict",
        call=Call("POST contradictions/", result_texts.contradiction),
        manual=(
            "Report two insights that cannot both be right, or that you saw proved wrong by the code. A person settles "
            "it; until then every answer with one of them warns. Do not deposit a third that says who is right."
        ),
        takes={"a": "One reference", "b": "The other", "reason": "Where they part, and what you saw"},
        again=True,
    ),
    Tool(
        name="propose_edit",
        title="Suggest an edit",
        call=Call("POST insights/{ref}/proposals/", result_texts.proposed_edit),
        manual=(
            "Suggest an edit of an insight that is right in substance, but unclear, incomplete or partly outdated. "
            "Give only what changes, in full. A lead approves it or asks for changes; nothing changes until then. "
            "Calling again revises your suggestion. For what is wrong use report_contradiction."
        ),
        takes={
            "ref": "The insight, like PLAT-42",
            "title": "New title",
            "body": "New text in full",
            "reasoning": "New reasoning in full",
            "kind": "",
            "tags": "All tags it should have",
            "questions": "All questions it answers",
            "note": "Why, in one or two sentences",
            "revision": "The revision you read: refused if it has changed since",
        },
        again=True,
    ),
    Tool(
        name="list_topics",
        title="What the team knows about",
        call=Call("GET topics/", result_texts.topics),
        manual="The topics of what you can see, with how much is known of each, when you do not know what to ask.",
        takes={"team": "Only this team's", "limit": "How many at most", "page": "Of a long list"},
        own={"page": NUMBER},
        reads=True,
        again=True,
    ),
    Tool(
        name="get_preferences",
        title="What is preferred",
        call=Call("GET preferences/", result_texts.preferences),
        manual=(
            "What your user and their teams prefer, each with where it came from; personal outranks team outranks "
            "everyone. Follow it unless your user says otherwise now."
        ),
        takes={
            "team": "Of shared ones only this team's",
            "category": "approach, communication, values, domain or general",
            "page": "Of a long list",
        },
        own={"page": NUMBER},
        reads=True,
        again=True,
    ),
    Tool(
        name="set_preference",
        title="State a preference",
        call=Call("POST preferences/", result_texts.preference),
        manual=(
            "State an explicit preference when your user corrects you or says how they want things done from now on "
            "('always use vitest', 'answer in German', 'no new dependencies'): at once, in their sense, once. Not for "
            "a wish that holds for this task only, nor for what you merely concluded: that is inferred without you. "
            "The same key again replaces the value. A team's preferences are its leads' to state."
        ),
        takes={
            "category": "approach (how to work), communication (how to speak), values (what matters more), domain "
            "(facts of their field), general",
            "key": "A short name in snake_case, like test_runner",
            "value": "The value, like vitest",
            "statement": "The preference in one sentence",
            "scope": "personal (default) or team",
            "team": TEAM,
        },
        again=True,
    ),
    Tool(
        name="get_skill",
        title="Read a skill",
        call=Call("GET skills/{name}/", result_texts.skill, fixed={"published": "true"}),
        manual=(
            "A skill's full instructions by its name. Skills are what the team decided to teach: follow them before "
            "any insight. query_insights brings the applicable ones along."
        ),
        takes={
            "name": "The skill's name",
            "team": "Where two of your teams have one of that name",
            "page": "Of a long one",
        },
        own={"page": NUMBER},
        reads=True,
        again=True,
    ),
    Tool(
        name="create_skill",
        title="Propose a skill",
        call=Call(
            "POST skills/",
            result_texts.skill_made,
            places={f"trigger_{kind}": f"triggers.{kind}" for kind in ("tags", "files", "errors")},
        ),
        manual=(
            "Propose a skill: a procedure worth teaching every agent of the team, seen to work more than once. It "
            "becomes a draft; a lead reviews, edits and publishes it, and agents get it only then. A name under "
            "which the team has another skill is refused."
        ),
        takes={
            "name": "1–64 of a–z, 0–9 and single hyphens, like release-checklist",
            "description": "What it does and when to use it",
            "instructions": "The full instructions in Markdown",
            "trigger_tags": "Tags at which it applies",
            "trigger_files": "Globs of files at which it applies",
            "trigger_errors": "Error messages at which it applies",
            "team": TEAM,
        },
        again=True,
    ),
    Tool(
        name="end_session",
        title="End the session",
        call=routes.END,
        manual=(
            "Call this last, when your user is done: it writes the handoff that the next session on this repository is "
            "offered, as checkpoint_session with end=true does."
        ),
        takes={
            "session": SESSION,
            "summary": "What was done, in a few sentences",
            "handoff_note": "What the next session must know first",
            "pending": "Next steps, one each",
            "blockers": "What stands in the way, one each",
        },
    ),
    Tool(
        name="get_session_history",
        title="Recent sessions",
        call=routes.HISTORY,
        manual=(
            "The last sessions of a repository, newest first, with what each left. With `ref`, one session and its "
            "handoff in full; with `session` and `take`, read a handoff and take it over."
        ),
        takes={
            "repo": REPO,
            "team": TEAM,
            "state": "live, ended or abandoned",
            "limit": "How many at most, default 20",
            "ref": "One session, like S-29",
            "session": "With take: your session's id",
            "take": "Handoff to take over, like S-29",
            "page": "Of a long list",
        },
        own={"ref": STRING, "session": STRING, "take": STRING, "page": NUMBER},
        route=routes.history_route,
        answers=(routes.HISTORY.path, routes.READ_SESSION.path, routes.ACK.path),
        again=True,
    ),
    Tool(
        name="list_saved_answers",
        title="Answers found in files before",
        call=Call("GET evidence/clusters/", result_texts.saved_answers),
        manual=(
            "What earlier searches of the sources found and keep up to date. get_insight with the reference reads one "
            "in full; a question that is alike is answered from it by search_evidence anyway."
        ),
        takes={
            "sort": "updated (default), hotness or confidence",
            "lifecycle": "Only these: emerging, stable, contested or deprecated",
            "limit": "How many at most, default 20",
            "page": "Of a long list",
        },
        own={"page": NUMBER},
        reads=True,
        again=True,
    ),
    Tool(
        name="refresh_saved_answer",
        title="Search a saved answer again",
        call=Call("POST evidence/clusters/{cluster}/refresh/", result_texts.evidence, places={"ref": "cluster"}),
        manual=(
            "Search again what a saved answer says, whatever has changed, and renew it. Rarely needed: files that have "
            "changed are noticed by every search_evidence."
        ),
        takes={"ref": "The saved answer, like C0123456789ab"},
        again=True,
        budget=600,
    ),
    Tool(
        name="get_friction_report",
        title="What keeps going wrong",
        call=Call("GET friction/", result_texts.friction),
        manual=(
            "Errors that keep coming back unresolved, and the modules where they happen. Look before you work on such "
            "a module; if you find the cause of one, deposit it with the error."
        ),
        takes={"repo": REPO, "days": "How far back", "page": "Of a long list"},
        own={"page": NUMBER},
        reads=True,
        again=True,
    ),
)
