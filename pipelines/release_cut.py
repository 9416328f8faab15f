"""The cut: tasks, release, export and first evaluation of one release id."""

from typing import Final

import dagster as dg

RELEASE_CUT = dg.define_asset_job(
    "release_cut",
    selection=dg.AssetSelection.assets("tasks", "releases", "exports", "evaluations"),
    description="Judges eligibility, makes tasks, writes, exports and first plays one release.",
)

RELEASE_EXPORT = dg.define_asset_job(
    "release_export",
    selection=dg.AssetSelection.assets("exports", "evaluations"),
    description="Goes on with an interrupted cut: exports and first plays a written release.",
)

RELEASE_EVALUATION = dg.define_asset_job(
    "release_evaluation",
    selection=dg.AssetSelection.assets("evaluations"),
    description="Goes on with an interrupted cut: first plays an exported release.",
)

UNFINISHED: Final = {"exports": "release_export", "evaluations": "release_evaluation"}
"""The first step left -> the job that takes it and what follows."""

RELEASE_JOBS: Final = (RELEASE_CUT, RELEASE_EXPORT, RELEASE_EVALUATION)
