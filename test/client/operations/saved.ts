import assert from 'node:assert/strict'
import { waitFor } from '@sandglass/machines/testing'
import type { World } from './world.ts'

export async function snapshots({ client, sandboxId }: World): Promise<void> {
  const write = (body: string) => client.writeSandboxFile({ sandboxId, path: 'state', body })
  await write('before')
  const { id: snapshotId } = await client.createSandboxSnapshot({ sandboxId, body: { name: 'point' } })
  const ready = async () =>
    (await client.listSandboxSnapshots({ sandboxId })).find(({ id }) => id === snapshotId)
  await waitFor(async () => (await ready())?.status === 'READY')
  await write('after')
  await client.restoreSandbox({ sandboxId, body: { snapshotId } })
  await waitFor(async () => (await client.getSandboxStatus({ sandboxId })).status === 'RUNNING')
  assert.equal(await (await client.readSandboxFile({ sandboxId, path: 'state' })).text(), 'before')
  await client.deleteSandboxSnapshot({ sandboxId, snapshotId })

  const { results } = await client.forkSandbox({ sandboxId, body: { count: 1 } })
  const [fork] = results.flatMap(result => ('sandbox' in result ? [result.sandbox] : []))
  assert.ok(fork, JSON.stringify(results))
  await client.deleteSandbox({ sandboxId: fork.id })
}

/** The images and volumes that are left belong to the operator's calls. */
export async function images({ client, operator, sandboxId }: World): Promise<void> {
  const named = async (id: string) => (await client.listMachineImages()).images.find(image => image.id === id)
  const ready = (id: string) => waitFor(async () => (await named(id))?.status === 'READY')
  const { id: imageId } = await client.createMachineImage({ body: { sandboxId, name: 'saved' } })
  await ready(imageId)
  const from = await client.createSandboxFromImage({ body: { imageId, name: 'copy', maxLifeSeconds: 300 } })
  await client.deleteSandbox({ sandboxId: from.bookId })

  const steps = [{ run: 'touch built' }]
  const events = await Array.fromAsync(
    client.buildMachineImage({ body: { from: { imageId }, steps, name: 'built' } }),
  )
  const last = events.at(-1)
  assert.ok(last?.event === 'finished', JSON.stringify(last))

  const exported = await client.exportMachineImage({ imageId })
  const imported = await client.importMachineImage({ name: 'imported', body: exported.stream })
  await ready(imported.id)

  const shared = await operator.updateMachineImage({ imageId, body: { scope: 'PUBLIC' } })
  assert.equal(shared.scope, 'PUBLIC')
  const all = await operator.listAllMachineImages()
  assert.ok([imageId, imported.id].every(id => all.some(image => image.id === id)))
  await operator.removeMachineImage({ imageId: imported.id })
  for (const id of [last.image.id, imageId]) await client.deleteMachineImage({ imageId: id })
}

export async function volumes({ client, operator }: World): Promise<void> {
  const make = async (name: string) => (await client.createVolume({ body: { name, sizeMiB: 64 } })).id
  const [mine, theirs] = [await make('mine'), await make('theirs')]
  const ready = async () => (await client.listVolumes()).every(({ status }) => status === 'READY')
  await waitFor(ready)
  await client.deleteVolume({ volumeId: mine })
  assert.ok((await operator.listAllVolumes()).some(({ id }) => id === theirs))
  await operator.removeVolume({ volumeId: theirs })
}
