import { Actions } from './jobs/actions.ts'
import { Files } from './jobs/files.ts'
import type { Job } from './jobs/job.ts'
import { MappedPort } from './jobs/mapped-port.ts'
import { Programs } from './jobs/programs.ts'
import { Projects } from './jobs/projects.ts'
import { Sandboxes } from './jobs/sandboxes.ts'
import { Shells } from './jobs/shells.ts'
import type { World } from './world.ts'

/** What runs while faults are injected. */
export function jobsOf(world: World, random: () => number): readonly Job[] {
  return [
    new Files(world, 'faults', random),
    new Actions(world, random),
    new Programs(world, 'words.txt'),
    new Shells(world),
    new Projects(world, 'workload'),
    new Sandboxes(world),
    new MappedPort(world),
  ]
}

/**
 * What must succeed before a service counts as restored. Probes are separate from the workload, whose calls began
 * earlier; their results are recorded and verified as well.
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
