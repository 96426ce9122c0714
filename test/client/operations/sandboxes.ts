import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { World } from './world.ts'

export async function sandboxes({ client }: World): Promise<void> {
  const { id: sandboxId } = await client.createSandbox({
    wait: 60,
    body: { shapeName: 'small', name: 'walked', labels: { by: 'operations' } },
  })
  const reaches = (wanted: string) =>
    waitFor(async () => (await client.getSandboxStatus({ sandboxId })).status === wanted)
  await reaches('RUNNING')
  assert.equal((await client.getSandbox({ sandboxId })).sandbox.name, 'walked')
  const listed = await Array.fromAsync(client.all('listSandboxes', { label: 'by=operations', limit: 1 }))
  assert.deepEqual(
    listed.map(({ id }) => id),
    [sandboxId],
  )
  const updated = await client.updateSandbox({ sandboxId, body: { name: 'renamed' } })
  assert.deepEqual([updated.name, updated.labels], ['renamed', { by: 'operations' }])
  assert.deepEqual((await client.listSandboxes({ search: 'RENAMED', sort: '-name' }))[0]?.id, sandboxId)
  const { cpu, memory } = await client.getSandboxFigures({ sandboxId })
  assert.ok(cpu && memory && memory.usedBytes < memory.limitBytes)
  const thumbnail = Buffer.from(await (await client.getSandboxThumbnail({ sandboxId, width: 64 })).bytes())
  assert.equal(thumbnail.subarray(8, 12).toString(), 'WEBP')
  await client.extendSandbox({ sandboxId, body: { maxLifeSeconds: 7200 } })
  const lifecycle = await client.changeSandboxLifecycle({ sandboxId, body: { onTimeout: 'pause' } })
  assert.equal(lifecycle.onTimeout, 'pause')
  await client.pauseSandbox({ sandboxId })
  await reaches('STOPPED')
  await client.resumeSandbox({ sandboxId })
  await reaches('RUNNING')
  await client.restartSandbox({ sandboxId })
  await reaches('RUNNING')
  await client.hibernateSandbox({ sandboxId })
  await reaches('STOPPED')
  await client.deleteSandbox({ sandboxId })
  await waitFor(async () => {
    const { events } = await client.listSandboxEvents({ sandboxId })
    return ['created', 'updated', 'extended', 'deleted'].every(type =>
      events.some(event => event.type === `sandbox.${type}`),
    )
  })
}
