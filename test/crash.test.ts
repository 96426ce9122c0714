import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { call, ServiceProcess, temporaryFolder } from './support/service-process.ts'

/** Creates projects from several concurrent callers until `stop`, and records the acknowledged ones. */
function writeProjects(credentials: Awaited<ReturnType<ServiceProcess['credentials']>>) {
  const answered = new Set<string>()
  const failures: number[] = []
  let stopped = false
  const writers = Array.from({ length: 8 }, async () => {
    while (!stopped) {
      const { status, body } = await call(credentials, 'POST', '~/projects', { name: 'kept' })
      if (status === 200) answered.add(body.id)
      else failures.push(status)
      if (status === 0) break
    }
  })
  const reached = (count: number) => waitFor(async () => answered.size >= count)
  const stop = async () => {
    stopped = true
    await Promise.all(writers)
  }
  return { answered, failures, reached, stop }
}

async function listed(service: ServiceProcess): Promise<Set<string>> {
  const { status, body } = await call(await service.credentials(), 'GET', '~/projects')
  assert.equal(status, 200)
  return new Set(body.map(({ id }: { id: string }) => id))
}

test('kill -9 of the service in the middle of writes loses nothing that was acknowledged', async () => {
  const data = await temporaryFolder()
  for (let round = 0; round < 3; round++) {
    const service = await ServiceProcess.start(data)
    const before = (await listed(service)).size
    const writing = writeProjects(await service.credentials())
    await writing.reached(20)
    await service.kill()
    await writing.stop()
    const again = await ServiceProcess.start(data)
    const kept = await listed(again)
    for (const id of writing.answered) assert.ok(kept.has(id), `project ${id} was answered and is lost`)
    assert.ok(kept.size - before >= writing.answered.size)
    await again.kill()
  }
})

test('kill -9 of the database in the middle of writes loses nothing, and the service recovers by itself', async () => {
  const data = await temporaryFolder()
  const service = await ServiceProcess.start(data)
  const writing = writeProjects(await service.credentials())
  await writing.reached(20)
  const [line] = (await readFile(join(data, 'postgres/cluster/postmaster.pid'), 'utf8')).split('\n')
  process.kill(Number(line), 'SIGKILL')
  await writing.reached(writing.answered.size + 60)
  await writing.stop()
  // A commit that the kill interrupted may have been made, which is a 504. Any other error means that nothing was
  // done.
  const unexpected = writing.failures.filter(status => status !== 503 && status !== 504)
  assert.deepEqual(unexpected, [])
  const kept = await listed(service)
  for (const id of writing.answered) assert.ok(kept.has(id), `project ${id} was answered and is lost`)
})
