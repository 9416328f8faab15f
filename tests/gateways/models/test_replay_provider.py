import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lawsmith.chat import Reply, Usage
from lawsmith.gateways.models.litellm_chat import load_litellm
from lawsmith.gateways.models.replay import ReplayAnswerer, record_replies
from lawsmith.gateways.models.replay_provider import METADATA_KEY, register_replay_provider

# litellm silences this at its import, which a later test's filters undo.
pytestmark = pytest.mark.filterwarnings("ignore:Item.* on TypedDict class:UserWarning")

ROOT = Path(__file__).resolve().parents[3]


def test_litellm_and_the_runner_read_the_same_recording(
    tmp_path: Path, kit: Any, reply: Callable[..., Reply]
) -> None:
    given = reply("cut", finish_reason="length", usage=Usage(prompt_tokens=3, completion_tokens=4))
    request = kit.request()
    record_replies([(request, given)], tmp_path / "sample" / "replies.jsonl")
    direct = ReplayAnswerer("replay/sample", root=tmp_path).answer([request])[0]
    register_replay_provider(tmp_path)
    register_replay_provider(tmp_path)
    litellm = load_litellm()
    response = litellm.completion(
        model="replay/sample",
        messages=[{"role": "user", "content": "read"}],
        metadata={METADATA_KEY: request.model_dump_json()},
    )
    assert response.choices[0].message.content == direct.text
    assert response.choices[0].finish_reason == direct.finish_reason
    assert response.model == direct.model
    assert direct.usage is not None
    assert response.usage.total_tokens == direct.usage.total


def test_litellm_hears_which_reply_is_missing(tmp_path: Path, kit: Any) -> None:
    register_replay_provider(tmp_path)
    litellm = load_litellm()
    with pytest.raises(litellm.NotFoundError, match="requests export"):
        litellm.completion(
            model="replay/sample",
            messages=[{"role": "user", "content": "read"}],
            metadata={METADATA_KEY: kit.request().model_dump_json()},
        )


def test_a_run_over_recordings_imports_no_litellm() -> None:
    code = (
        "import sys; from pathlib import Path;"
        "from lawsmith.gateways.models.model_routes import ModelSpec, open_roster;"
        "from lawsmith.gateways.models import batch_files, request_bounds, runner;"
        "open_roster({'extractor': ModelSpec('replay/sample')},"
        " replay_root=Path('data'), environ={});"
        "assert not {'litellm', 'openai', 'tenacity'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60)
