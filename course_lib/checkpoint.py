"""Where an interrupted run stands: its tensors in a safetensors file, with the words that say which run it is."""

from pathlib import Path

from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from course_lib import whole


def write_checkpoint(path: Path, tensors: dict[str, Tensor], run: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    whole.write(path, save({name: tensor.detach().contiguous() for name, tensor in tensors.items()}, {"run": run}))


def read_checkpoint(path: Path, run: str = "") -> dict[str, Tensor] | None:
    """The tensors that `write_checkpoint` stored; None where there is no file. ValueError for a file that is no
    checkpoint of this run."""
    if not path.exists():
        return None
    try:
        with safe_open(path, "pt") as stored:
            theirs = (stored.metadata() or {}).get("run", "")
            tensors = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118  not a dict
    except (SafetensorError, OSError) as error:
        raise ValueError(f"checkpoint {path} is no safetensors file: delete it to start afresh ({error})") from None
    if theirs != run:
        raise ValueError(
            f"checkpoint {path} is of another run: delete it to start afresh\nits run: {theirs}\nthis run: {run}"
        )
    return tensors
