"""Build the wheel, install it into a clean environment away from ``src``, and use it.

Runs what somebody without a checkout would: ``cards init``, ``cards build`` in a fresh folder,
and the same on the bank of this repository, which the wheel carries. torch and the other
dependencies are taken from the development environment, so that nothing large is installed twice;
closedbook itself can only come from the wheel.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(*words: str | Path, cwd: Path) -> None:
    """Run a command; its output is shown only where it fails."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(words, cwd=cwd, env=env, text=True, capture_output=True, check=False)
    if done.returncode:
        sys.stdout.write(done.stdout + done.stderr)
        sys.exit(f"failed in {cwd}: {' '.join(map(str, words))}")


def lend_dependencies(home: Path) -> Path:
    """Let the environment at ``home`` import this one's packages, but not this closedbook.

    A ``.pth`` line adds the folder of packages; an editable install is a ``.pth`` in that folder,
    and those are read only for an environment's own site-packages.
    """
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return home / "bin"


def main() -> None:
    """Build, install, use."""
    with tempfile.TemporaryDirectory(prefix="closedbook-wheel-") as name:
        scratch = Path(name)
        run(sys.executable, "-m", "build", "--outdir", scratch / "dist", ROOT, cwd=scratch)
        wheel = next((scratch / "dist").glob("*.whl"))
        home = scratch / "venv"
        venv.create(home, with_pip=True)
        tools = lend_dependencies(home)
        run(tools / "pip", "install", "-q", "--no-deps", "--force-reinstall", wheel, cwd=scratch)
        where = subprocess.run(
            [tools / "python", "-c", "import closedbook; print(closedbook.__file__)"],
            cwd=scratch,
            text=True,
            capture_output=True,
            check=True,
        ).stdout.strip()
        if not Path(where).is_relative_to(home):
            sys.exit(f"the checkout was imported, not the wheel: {where}")
        run(tools / "cards", "init", "bank", cwd=scratch)
        run(tools / "cards", "build", cwd=scratch / "bank")
        run(tools / "cards", "init", "example", "--example", cwd=scratch)
        run(tools / "cards", "verify", cwd=scratch / "example")
        built = sorted(
            str(p.relative_to(scratch)) for p in (scratch / "bank" / "build").rglob("*.*")
        )
        print(f"{wheel.name} installs, and `cards init` and `cards build` make:")
        print("\n".join(f"  {path}" for path in built if not path.endswith((".sqlite", ".json"))))


if __name__ == "__main__":
    main()
