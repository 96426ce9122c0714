import type { Activity } from './activities/activity.ts'
import { browsing } from './activities/browsing.ts'
import { watchingAFilm } from './activities/film.ts'
import { quicViewer } from './activities/quic-viewer.ts'
import {
  agentOf,
  childrenOfService,
  databaseBackends,
  encoderThreads,
  frontOfService,
  guestProcesses,
  machineWorkers,
  portDialers,
  wholeDatabase,
} from './find-processes.ts'
import { restartSandbox, startService } from './repairs.ts'
import type { Image, World } from './world.ts'

/** A process that faults are injected into, and what is promised for it. */
export interface Target {
  readonly name: string
  /** The current process ids, as seen on the host. */
  find(world: World): Promise<number[]>
  /** The max time until everything works again after the fault, on a box with a spare core. */
  readonly promisedSeconds: number
  /** The image of its sandbox, if it is not `minimal`. */
  readonly image?: Image
  /** What must run so that the process exists. */
  readonly activity?: (world: World) => Promise<Activity>
  /** The repair by somebody outside after a kill, if the service cannot do it itself. */
  readonly repair?: (world: World) => Promise<void>
  /** The process is started on demand or by a user of the machine, and not restarted by itself. */
  readonly isOnDemand?: true
  /** While it is stopped, calls in progress wait for it. */
  readonly isSilentWhenStopped?: true
  readonly areThreads?: true
  /** Whether `npm test` stops it as well, because others have to go on without it. `npm run faults` stops every target. */
  readonly isStoppedInTests?: true
  /** Screenshots that were not stored yet are lost with it. */
  readonly losesFrames?: true
}

const child = (name: string) => (world: World) => childrenOfService(world, name)
const guest = (name: string) => (world: World) => guestProcesses(world, name)
const host = async ({ installation }: World) => [installation.service.pid]
const oneBackend = async (world: World) => (await databaseBackends(world)).slice(0, 1)

/** Every process of the service and of a machine. Add a target by adding one line. */
export const targets: readonly Target[] = [
  { name: 'host', find: host, repair: startService, isSilentWhenStopped: true, promisedSeconds: 10 },
  {
    name: 'front',
    find: frontOfService,
    repair: startService,
    isSilentWhenStopped: true,
    promisedSeconds: 10,
  },
  {
    name: 'machine worker',
    find: machineWorkers,
    losesFrames: true,
    isStoppedInTests: true,
    promisedSeconds: 5,
  },
  { name: 'postmaster', find: child('postgres'), promisedSeconds: 5 },
  { name: 'database backend', find: oneBackend, promisedSeconds: 5 },
  { name: 'whole database', find: wholeDatabase, isStoppedInTests: true, promisedSeconds: 5 },
  { name: 'QUIC relay', find: child('deno'), activity: quicViewer, promisedSeconds: 5 },
  { name: 'port dialer', find: portDialers, isOnDemand: true, promisedSeconds: 2 },
  { name: 'encoders', find: encoderThreads, areThreads: true, promisedSeconds: 5 },
  { name: 'ffmpeg', find: child('ffmpeg'), activity: watchingAFilm, isOnDemand: true, promisedSeconds: 5 },
  {
    name: 'agent',
    find: agentOf,
    repair: restartSandbox,
    isSilentWhenStopped: true,
    isStoppedInTests: true,
    promisedSeconds: 5,
  },
  { name: 'X server', find: guest('Xtigervnc'), isStoppedInTests: true, promisedSeconds: 5 },
  { name: 'window manager', find: guest('openbox'), promisedSeconds: 2 },
  { name: 'panel', find: guest('tint2'), image: 'desktop', promisedSeconds: 2 },
  { name: 'desktop icons', find: guest('inotifywait'), image: 'desktop', promisedSeconds: 2 },
  {
    name: 'browser',
    find: guest('chromium'),
    image: 'desktop',
    activity: browsing,
    isOnDemand: true,
    promisedSeconds: 5,
  },
  { name: 'adbd', find: guest('adbd'), image: 'phone', promisedSeconds: 5 },
]
