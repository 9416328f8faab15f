"""The cut: tasks, release, export and first evaluation of one release id."""

import dagster as dg

RELEASE_CUT = dg.define_asset_job(
    "release_cut",
    selection=dg.AssetSelection.assets("tasks", "releases", "exports", "evaluations"),
    description="Judges eligibility, makes tasks, writes, exports and first plays one release.",
)
