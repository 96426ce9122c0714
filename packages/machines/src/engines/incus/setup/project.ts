import { z } from 'zod'
import { read } from '../client/answers.ts'
import { unlessMissing } from './missing.ts'
import type { SetupContext } from './setup-context.ts'

/** Everything in the project is ours. The network is that of the default project, because bridges can be only there. */
const projectSettings = {
  'features.images': 'true',
  'features.profiles': 'true',
  'features.storage.volumes': 'true',
  'features.networks': 'false',
  restricted: 'false',
}

const profileSchema = z.object({
  devices: z.record(z.string(), z.record(z.string(), z.string())).nullish(),
})

/** Makes the project of the machines, whose profile has nothing but a disk in the pool. */
export async function ensureProject({ incus, names, tell }: SetupContext): Promise<void> {
  const { project, pool } = names
  if ((await unlessMissing(incus.get(`/projects/${project}`))) === undefined) {
    const description = 'Machines of Sandglass. The service deletes what it does not know.'
    await incus.send('POST', '/projects', { name: project, description, config: projectSettings })
    tell(`Made the project ${project}.`)
  } else tell(`The project ${project} is there.`)
  const { devices } = read(profileSchema, await incus.get('/profiles/default', { project }), 'a profile')
  if (devices?.['root']?.['pool'] === pool) return
  const root = { type: 'disk', path: '/', pool }
  await incus.send('PATCH', '/profiles/default', { devices: { ...devices, root } }, { project })
  tell(`Disks of machines are in the pool ${pool}.`)
}
