import type { Use } from './use.ts'

export const pausing: Use = {
  name: 'pausing',
  weight: 1,
  async run({ box }) {
    await box.pause()
    await box.resume()
  },
}

/** Its machine ends, and another one continues with its disk. */
export const hibernating: Use = {
  name: 'hibernating',
  weight: 0.5,
  async run({ box, tally }) {
    await box.files.write('kept.txt', 'kept')
    await box.hibernate()
    await box.resume()
    if ((await box.files.readText('kept.txt')) !== 'kept') tally.wrong('hibernation', 'lost a file')
  },
}

export const restarting: Use = {
  name: 'restarting',
  weight: 0.5,
  async run({ box }) {
    await box.restart()
  },
}

/** Changes of an organization that need no machine. */
export const administering: Use = {
  name: 'administering',
  weight: 1,
  async run({ box, random }) {
    const { client, id: sandboxId } = box
    await client.extendSandbox({ sandboxId, body: { maxLifeSeconds: 900 } })
    const project = await client.createProject({ body: { name: `soak ${Math.floor(random() * 1e9)}` } })
    await client.deleteProject({ projectId: project.id })
    const key = await client.createApiKey({ body: { name: 'soak', role: 'viewer' } })
    await client.revokeApiKey({ keyId: key.id })
  },
}
