import type { Use } from './use.ts'

export const snapshots: Use = {
  name: 'snapshots',
  weight: 1,
  async run({ box, random }) {
    const { id } = await box.snapshot({ name: 'soak' })
    const dice = random()
    if (dice < 0.3) await box.restore(id)
    // What is left ends with the sandbox.
    if (dice < 0.7) await box.client.deleteSandboxSnapshot({ sandboxId: box.id, snapshotId: id })
  },
}

export const forks: Use = {
  name: 'forks',
  weight: 1,
  async run({ box, made, tally }) {
    await box.files.write('fork.txt', 'before the fork')
    const copy = await box.fork({ lifeSeconds: 600 })
    made.add(copy.id)
    if ((await copy.files.readText('fork.txt')) !== 'before the fork')
      tally.wrong('a fork', 'has not the file of its source')
    await copy.client.deleteSandbox({ sandboxId: copy.id })
    made.delete(copy.id)
  },
}

/** An image, a sandbox from it, and the end of both. */
export const images: Use = {
  name: 'images',
  weight: 0.5,
  async run({ box, made, later }) {
    const image = await box.saveImage('soak')
    later.push(() => box.client.deleteMachineImage({ imageId: image.id }))
    const body = { imageId: image.id, name: 'from-image', maxLifeSeconds: 600, wait: 50 }
    const { sandbox } = await box.client.createSandboxFromImage({ body })
    made.add(sandbox.id)
    await box.client.deleteSandbox({ sandboxId: sandbox.id })
    made.delete(sandbox.id)
  },
}
