"""Hand requests to their endpoints: to those with a batch API in batches, to the others one by one."""

import asyncio
from collections.abc import Iterable

from truerate.core.redaction import Redactor
from truerate.llm.batch.pool import BatchPool
from truerate.llm.store import batches
from truerate.llm.store.jobs import Job
from truerate.llm.transport import failures
from truerate.llm.transport.run import Run
from truerate.llm.transport.workers import WorkerPool


async def answer_all(run: Run, jobs: Iterable[Job]) -> None:
    """Settle all jobs; raises the error that ended the run early."""
    by_endpoint: dict[str, list[Job]] = {}
    for job in jobs:
        by_endpoint.setdefault(job.target.endpoint, []).append(job)
    endpoints = run.config.p.endpoints
    keys = {name: failures.api_key(name, endpoints[name]) for name in by_endpoint}
    run.redactor = Redactor(keys.values())
    with run.drained_on_signal(by_endpoint):
        async with asyncio.TaskGroup() as group:
            for name, jobs_of in by_endpoint.items():
                # batches that an earlier run sent are read, also where none are sent any more
                is_batched = endpoints[name].batch or batches.are_open(run.store, jobs_of)
                pool = BatchPool if is_batched else WorkerPool
                group.create_task(pool(run, name, jobs_of, keys[name]).work())
    run.report()
    if run.was_interrupted:
        raise KeyboardInterrupt
    if run.error:
        raise run.error
