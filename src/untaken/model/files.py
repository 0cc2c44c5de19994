"""Processes on disk: arrays and labels in one compressed file, never pickle."""

from __future__ import annotations

import json
import zipfile
import zlib
from os import PathLike
from typing import Any

import numpy as np

from untaken.episodes import Labels
from untaken.errors import InvalidFile
from untaken.model.mdp import MDP
from untaken.model.rewards import Rewards
from untaken.model.rows import Rows

FORMAT = "untaken-process-1"


def save_arrays(path: str | PathLike[str], format: str, **arrays: Any) -> None:
    """Write named arrays and texts under exactly the given name, with a word that says what
    they are."""
    with open(path, "wb") as file:
        np.savez_compressed(file, format=np.array(format), **arrays)


def load_arrays(path: str | PathLike[str], format: str) -> dict[str, Any]:
    """What `save_arrays` wrote, refused if it is something else."""
    try:
        with open(path, "rb") as file:
            arrays = dict(np.load(file, allow_pickle=False))
    except FileNotFoundError:
        raise InvalidFile(f"there is no file {path}") from None
    except (OSError, TypeError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        # NumPy takes what it does not know for a pickle, and advises to trust it: never here.
        why = "" if "pickle" in str(error) else f": {error}"
        raise InvalidFile(f"{path} cannot be read as saved arrays{why}") from None
    found = str(arrays.get("format", "no format"))
    if found != format:
        raise InvalidFile(f"{path} holds {found!r}; expected {format!r}")
    return arrays


def mdp_arrays(mdp: MDP) -> dict[str, Any]:
    """A process as named arrays and texts."""
    rows = mdp.transitions
    return {
        "shape": np.array([rows.states, rows.actions]),
        "offsets": rows.offsets,
        "successors": rows.successors,
        "probabilities": rows.probabilities,
        "departure": mdp.rewards.departure,
        "arrival": mdp.rewards.arrival,
        "final_reward": mdp.final_reward,
        "available": mdp.available,
        "options": np.array(json.dumps({"discount": mdp.discount, "minimise": mdp.minimise})),
        "states": np.array(mdp.states.to_json()),
        "actions": np.array(mdp.actions.to_json()),
    }


def mdp_from_arrays(arrays: dict[str, Any]) -> MDP:
    """The process that `mdp_arrays` described; checked like any other."""
    states, actions = (int(size) for size in arrays["shape"])
    rows = Rows(arrays["offsets"], arrays["successors"], arrays["probabilities"], states, actions)
    return MDP(
        rows,
        Rewards(arrays["departure"], arrays["arrival"]),
        final_reward=arrays["final_reward"],
        available=arrays["available"],
        states=Labels.from_json(str(arrays["states"]), "state"),
        actions=Labels.from_json(str(arrays["actions"]), "action"),
        **json.loads(str(arrays["options"])),
    )


def save_mdp(mdp: MDP, path: str | PathLike[str]) -> None:
    """Write a process to one file."""
    save_arrays(path, FORMAT, **mdp_arrays(mdp))


def load_mdp(path: str | PathLike[str]) -> MDP:
    """Read the process that `save_mdp` wrote."""
    arrays = load_arrays(path, FORMAT)
    try:
        return mdp_from_arrays(arrays)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidFile(f"{path} is not a whole process: {error}") from None
