"""The queue of the worker, its heartbeat, and uploads unpacked for it."""
