"""Fits on disk: the counts and the episodes they come from."""

from __future__ import annotations

import json
from os import PathLike
from typing import Any

import numpy as np

from untaken.episodes import Episodes, Labels
from untaken.episodes.episodes import id_array
from untaken.errors import InvalidFile
from untaken.kernels.layout import Floats
from untaken.model.files import load_arrays, save_arrays
from untaken.model.posterior import Fit, Unseen
from untaken.model.reward_tables import RewardSums

FORMAT = "untaken-fit-1"


def save_fit(fit: Fit, path: str | PathLike[str]) -> None:
    """Write a fit to one file."""
    options = {
        "unseen": fit.unseen.name,
        "discount": fit.discount,
        "minimise": fit.minimise,
        "left_out": Labels(fit.left_out, "id").to_json(),
    }
    save_arrays(
        path,
        FORMAT,
        alpha=fit.alpha,
        counts=fit.counts,
        visits=fit.visits,
        final_reward=fit.final_reward,
        absorbing=fit.absorbing,
        options=np.array(json.dumps(options)),
        **_reward_arrays(fit.reward),
        **_episode_arrays(fit.episodes),
    )


def load_fit(path: str | PathLike[str]) -> Fit:
    """Read the fit that `save_fit` wrote."""
    arrays = load_arrays(path, FORMAT)
    try:
        options = json.loads(str(arrays["options"]))
        sums = "total" in arrays
        fit = Fit(
            _episodes(arrays),
            arrays["alpha"],
            arrays["counts"],
            arrays["visits"],
            RewardSums(arrays["total"], arrays["reward_visits"]) if sums else arrays["reward"],
            arrays["final_reward"],
            Unseen[options["unseen"]],
            arrays["absorbing"],
            options["discount"],
            options["minimise"],
            Labels.from_json(options["left_out"], "id").names,
        )
        _check_shapes(fit)
    except (KeyError, json.JSONDecodeError) as error:
        raise InvalidFile(f"{path} is not a whole fit: {error} is missing or broken") from None
    return fit


def _check_shapes(fit: Fit) -> None:
    states, actions = len(fit.states), len(fit.actions)
    rows, contexts = (states, actions, states), (states, actions)
    expected = {"alpha": rows, "counts": rows, "visits": contexts}
    expected |= {"final_reward": (states,), "absorbing": (states,)}
    for name, shape in expected.items():
        if getattr(fit, name).shape != shape:
            raise KeyError(f"{name} for {states} states and {actions} actions")


def _reward_arrays(reward: Floats | RewardSums) -> dict[str, Any]:
    if isinstance(reward, RewardSums):
        return {"total": reward.total, "reward_visits": reward.visits}
    return {"reward": reward}


def _episode_arrays(episodes: Episodes) -> dict[str, Any]:
    logged = {} if episodes.rewards is None else {"logged": episodes.rewards}
    numbers = episodes.ids.dtype != object
    ids = episodes.ids if numbers else np.array(Labels(tuple(episodes.ids), "id").to_json())
    return logged | {
        "offsets": episodes.offsets,
        "state_codes": episodes.state_codes,
        "action_codes": episodes.action_codes,
        "final_codes": episodes.final_codes,
        "ids": ids,
        "states": np.array(episodes.states.to_json()),
        "actions": np.array(episodes.actions.to_json()),
    }


def _episodes(arrays: dict[str, Any]) -> Episodes:
    ids = arrays["ids"]
    return Episodes(
        Labels.from_json(str(arrays["states"]), "state"),
        Labels.from_json(str(arrays["actions"]), "action"),
        arrays["offsets"],
        arrays["state_codes"],
        arrays["action_codes"],
        arrays["final_codes"],
        ids if ids.ndim else id_array(Labels.from_json(str(ids), "id").names),
        arrays.get("logged"),
    )
