import { Actions } from './jobs/actions.ts'
import { Files } from './jobs/files.ts'
import type { Job } from './jobs/job.ts'
import { MappedPort } from './jobs/mapped-port.ts'
import { Programs } from './jobs/programs.ts'
import { Projects } from './jobs/projects.ts'
import type { World } from './world.ts'

/**
 * What has to succeed before a service counts as restored. Beside the workload, which is amid calls of before; what
 * probes do is remembered and verified as well.
 */
export function probesOf(world: World, random: () => number): readonly Job[] {
  return [
    new Files(world, 'probes', random),
    new Actions(world, random),
    new Programs(world, 'probes.txt'),
    new Projects(world, 'probe'),
    new MappedPort(world),
  ]
}
