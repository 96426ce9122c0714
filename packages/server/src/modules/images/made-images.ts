import { join } from 'node:path'
import type { Logger } from 'pino'
import { transact } from '../../db/transact.ts'
import type { Api } from '../../http/api.ts'
import { WorkMachines } from '../../machines/work-machines.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { failInterruptedImages, failOlderImages } from '../../records/made-images.ts'
import type { Settings } from '../../settings.ts'
import { Spool } from '../../spool.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'
import { ImageBuilds } from './builds/image-builds.ts'
import { serveImageBuilds } from './builds/routes.ts'
import { removeUnusedSteps } from './builds/store.ts'
import { BuildUploads } from './builds/uploads.ts'
import { serveImageFiles } from './files/routes.ts'
import { ImageWork } from './image-work.ts'
import { selectDeleted } from './store.ts'

export interface MadeImageParts {
  readonly sandboxes: SandboxParts
  readonly outbound: Outbound
  readonly settings: Settings
  readonly log: Logger
}

const sweepEveryMs = 60_000
/** An image that is this old and that nobody makes was left by work whose end could not be recorded. */
const abandonedSeconds = 120
/** Steps of builds that nobody used for so long are removed. */
const unusedDays = 14

/** Serves the operations that make an image in a machine of their own: builds, imports and exports. Returns the builds, and the work in progress. */
export function serveMadeImages(
  api: Api,
  { sandboxes, outbound, settings, log }: MadeImageParts,
): { readonly builds: ImageBuilds; readonly work: ImageWork } {
  const { db, keeper } = sandboxes
  const spool = new Spool(join(settings.SANDGLASS_DATA, 'spool'), settings.SANDGLASS_DISK_RESERVE)
  const work = new ImageWork()
  const uploads = new BuildUploads(db, spool)
  const machines = new WorkMachines(db, keeper, log)
  const builds = new ImageBuilds({ sandboxes, outbound, spool, work, machines, uploads })
  const sweep = async () => {
    const reason = 'Its end could not be recorded.'
    await transact(db, tx => failOlderImages(tx, keeper.nodeId, reason, work.imageIds, abandonedSeconds))
    await removeUnusedSteps(db, keeper.nodeId, unusedDays)
    await uploads.removeOld()
    for (const id of await selectDeleted(db, builds.inBackground)) work.cancel(id)
  }
  const sweeping = setInterval(
    () => void sweep().catch(error => log.warn({ error }, 'images that nobody makes were not looked for')),
    sweepEveryMs,
  ).unref()
  api.onStart(async () => {
    await spool.start()
    await transact(db, tx =>
      failInterruptedImages(tx, keeper.nodeId, 'The service ended while the image was being made.'),
    )
  })
  api.onClose(async () => {
    clearInterval(sweeping)
    await work.close()
  })
  serveImageBuilds(api, builds)
  serveImageFiles(api, { sandboxes, spool, work, machines })
  return { builds, work }
}
