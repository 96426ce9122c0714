import {
  agentOf,
  childrenOfService,
  databaseBackends,
  encoderThreads,
  guestProcesses,
  wholeDatabase,
} from './find-processes.ts'
import { restartSandbox, startService } from './repairs.ts'
import { browsing } from './scenes/browsing.ts'
import { watchingAFilm } from './scenes/film.ts'
import { quicViewer } from './scenes/quic-viewer.ts'
import type { Scene } from './scenes/scene.ts'
import type { Image, World } from './world.ts'

/** A process that faults befall, and what is promised for it. */
export interface Target {
  readonly name: string
  /** Those that it is at the moment, by the host's ids. */
  find(world: World): Promise<number[]>
  /** The longest time until everything works again after the fault is over, on a box that has a core to spare. */
  readonly restoredWithinSeconds: number
  /** Where its sandbox is of another image than `minimal`. */
  readonly image?: Image
  /** What has to go on so that the process exists. */
  readonly scene?: (world: World) => Promise<Scene>
  /** What somebody outside does after a kill, where that is not the service's to do. */
  readonly repair?: (world: World) => Promise<void>
  /** It is started when it is needed, or by whoever uses the machine, and not by itself. */
  readonly isOnDemand?: true
  /** While it stands still, nobody can be answered. */
  readonly isSilentWhenStopped?: true
  readonly areThreads?: true
}

/** Every process of the service and inside a machine. Covering another one takes one entry. */
export const targets: readonly Target[] = [
  {
    ...{ name: 'service', find: async world => [world.installation.service.pid], restoredWithinSeconds: 10 },
    ...{ repair: startService, isSilentWhenStopped: true },
  },
  { name: 'postmaster', find: world => childrenOfService(world, 'postgres'), restoredWithinSeconds: 5 },
  {
    name: 'database backend',
    find: async world => (await databaseBackends(world)).slice(0, 1),
    restoredWithinSeconds: 5,
  },
  { name: 'whole database', find: wholeDatabase, restoredWithinSeconds: 5 },
  {
    name: 'QUIC relay',
    find: world => childrenOfService(world, 'deno'),
    scene: quicViewer,
    restoredWithinSeconds: 5,
  },
  {
    name: 'port dialer',
    find: world => childrenOfService(world, 'perl'),
    isOnDemand: true,
    restoredWithinSeconds: 2,
  },
  { name: 'encoders', find: encoderThreads, areThreads: true, restoredWithinSeconds: 5 },
  {
    ...{ name: 'ffmpeg', find: world => childrenOfService(world, 'ffmpeg'), scene: watchingAFilm },
    ...{ isOnDemand: true, restoredWithinSeconds: 5 },
  },
  { name: 'agent', find: agentOf, repair: restartSandbox, restoredWithinSeconds: 5 },
  { name: 'X server', find: world => guestProcesses(world, 'Xtigervnc'), restoredWithinSeconds: 5 },
  { name: 'window manager', find: world => guestProcesses(world, 'openbox'), restoredWithinSeconds: 1 },
  {
    name: 'panel',
    image: 'desktop',
    find: world => guestProcesses(world, 'tint2'),
    restoredWithinSeconds: 1,
  },
  {
    ...{
      name: 'browser',
      image: 'desktop',
      find: world => guestProcesses(world, 'chromium'),
      scene: browsing,
    },
    ...{ isOnDemand: true, restoredWithinSeconds: 1 },
  },
  { name: 'adbd', image: 'phone', find: world => guestProcesses(world, 'adbd'), restoredWithinSeconds: 5 },
]
