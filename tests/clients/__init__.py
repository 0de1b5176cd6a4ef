"""Loam with real coding agents: what their models are sent, read byte by byte.

`make clients` installs the agents into `var/clients`, `make test-clients` runs them against a Loam of their own and
scripted model endpoints on loopback. `make test` needs neither: it replays what they sent (`captured/`).
"""
