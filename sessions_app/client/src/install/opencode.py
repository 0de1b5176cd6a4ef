"""The plugin for OpenCode, which has no hooks of its own: it calls the client as other agents' hooks do."""

from __future__ import annotations

import json
from collections.abc import Sequence


def plugin(words: Sequence[str] | None) -> str:
    """Return the plugin; `words` call the client, None for a project's launcher."""
    called = json.dumps(list(words)) if words else '[worktree + "/.loam/loam"]'
    text = _PLUGIN.replace("@WORDS@", called)
    return text.replace("  @GIVES_WAY@\n", "" if words else _GIVES_WAY)


# Both plugins would be called, and write the same transcript.
_GIVES_WAY = """\
  // That of the user's own settings is loaded as well, and does the same.
  if (existsSync(join(config, "opencode", "plugins", "loam.js"))) return {}
"""


_PLUGIN = """\
// Written by `loam install opencode`; taken out by `loam install opencode --uninstall`.
import { spawn, spawnSync } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

const config = process.env.XDG_CONFIG_HOME || join(homedir(), ".config")
const folder = join(process.env.LOAM_HOME || join(config, "loam"), "transcripts")
// A hook ends by itself long before.
const PATIENCE = 5000

export const Loam = async ({ directory, worktree }) => {
  @GIVES_WAY@
  const words = @WORDS@
  const begun = new Set()
  const children = new Set()

  const transcript = (id) => join(folder, `opencode-${id}.jsonl`)
  const input = (id, more) =>
    JSON.stringify({ session_id: id, cwd: directory, transcript_path: transcript(id), ...more })
  const record = (id, role, content) => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      const row = { type: role, message: { role, content }, timestamp: new Date().toISOString() }
      appendFileSync(transcript(id), JSON.stringify(row) + "\\n", { mode: 0o600 })
    } catch {}
  }
  const call = (event, id, more = {}) =>
    new Promise((resolve) => {
      try {
        const [command, ...rest] = [...words, "hook", event, "--agent", "opencode"]
        const child = spawn(command, rest, { stdio: ["pipe", "pipe", "ignore"] })
        const stop = setTimeout(() => child.kill(), PATIENCE)
        let said = ""
        child.stdout.on("data", (part) => (said += part))
        child.stdin.on("error", () => {})
        child.on("error", () => resolve(""))
        child.on("close", () => {
          clearTimeout(stop)
          try {
            resolve(JSON.parse(said)?.hookSpecificOutput?.additionalContext ?? "")
          } catch {
            resolve("")
          }
        })
        child.stdin.end(input(id, more))
      } catch {
        resolve("")
      }
    })
  const end = (id) => {
    if (!begun.delete(id)) return
    const [command, ...rest] = [...words, "hook", "SessionEnd", "--agent", "opencode"]
    try {
      spawnSync(command, rest, { input: input(id, { reason: "exit" }), timeout: 2000 })
    } catch {}
  }
  process.on("exit", () => [...begun].forEach(end))

  return {
    event: async ({ event }) => {
      const about = event.properties ?? {}
      if (event.type === "session.created" && about.info?.parentID) children.add(about.info.id)
      if (event.type === "session.deleted") end(about.info?.id)
      if (event.type === "session.idle" && begun.has(about.sessionID)) await call("Stop", about.sessionID)
      const part = event.type === "message.part.updated" ? about.part : undefined
      if (part?.type === "text" && part.time?.end && begun.has(part.sessionID)) {
        record(part.sessionID, "assistant", part.text)
      }
    },
    "chat.message": async (given, output) => {
      const id = given.sessionID
      if (children.has(id)) return
      const prompt = output.parts
        .filter((part) => part.type === "text" && !part.synthetic)
        .map((part) => part.text)
        .join("\\n")
      const texts = []
      if (!begun.has(id)) {
        begun.add(id)
        texts.push(await call("SessionStart", id, { source: "startup" }))
      }
      record(id, "user", prompt)
      texts.push(await call("UserPromptSubmit", id, { prompt }))
      const text = texts.filter(Boolean).join("\\n\\n")
      if (!text) return
      const part = { id: `prt_${Date.now().toString(16)}loam${Math.random().toString(36).slice(2, 10)}` }
      output.parts.push({ ...part, sessionID: id, messageID: output.message.id, type: "text", text, synthetic: true })
    },
    "tool.execute.after": async (given, output) => {
      const id = given.sessionID
      if (!begun.has(id)) return
      if (/todo|plan|task_/.test(given.tool)) {
        record(id, "assistant", [{ type: "tool_use", id: given.callID, name: given.tool, input: given.args }])
      }
      if (!["edit", "write", "patch", "apply_patch", "multiedit", "bash"].includes(given.tool)) return
      const failed = typeof output.metadata?.exit === "number" && output.metadata.exit !== 0
      const used = { type: "tool_use", id: given.callID, name: given.tool, input: given.args }
      record(id, "assistant", [used])
      const result = { type: "tool_result", tool_use_id: given.callID, content: output.output, is_error: failed }
      record(id, "user", [result])
      const told = { tool_name: given.tool, tool_input: given.args }
      const text = failed
        ? await call("PostToolUseFailure", id, { ...told, error: output.output })
        : await call("PostToolUse", id, { ...told, tool_response: { output: output.output, exit_code: 0 } })
      if (text) output.output = `${output.output}\\n\\n${text}`
    },
    "experimental.session.compacting": async (given) => {
      if (begun.has(given.sessionID)) await call("PreCompact", given.sessionID)
    },
  }
}
"""
