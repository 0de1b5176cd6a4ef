"""loam: a coding agent's way to its team's memory. One file, Python 3.9 or newer, nothing to install.

    python3 loam.py login http://loam.example.com      once; asks for a token from the page "Connect an agent"
    python3 loam.py install claude-code                hooks and MCP for Claude Code (or cursor, codex, vscode)
    python3 loam.py query "how do we release"          by hand, or from a script

What agents' hooks call (`loam hook EVENT`) ends with 0 whatever happens, and says nothing when the server is away:
what was to be told is written to a spool first and delivered later, each piece once. Texts are masked before they
leave this machine: secrets, personal data and invisible characters, by the rules of the server (the last part of
this file is a copy of them).

Environment: LOAM_URL, LOAM_TOKEN and LOAM_TEAM over what `login` wrote; LOAM_HOME for where it is written
(else ~/.config/loam); LOAM_SESSION for the session that commands speak in; LOAM_OFF=1 keeps the hooks silent.
"""
