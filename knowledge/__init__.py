"""What the team knows: insights, how they are written down, found, ranked and kept alive."""

import os

# Read by ONNX Runtime when it is loaded: from 1.31 on it reports its use to its vendor otherwise. Here, and not in the
# settings, for whatever loads it is in this package: also the export, which runs without Django.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
