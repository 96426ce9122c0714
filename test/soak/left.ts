import { readdir } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { groupParentOf } from '../../packages/machines/src/engines/local/oci/cgroups.ts'
import { preparedNames } from '../../packages/machines/src/engines/local/rootfs/prepared-roots.ts'
import type { Figures } from './figures/figure.ts'
import { groupNames } from './figures/kernel.ts'
import { measure } from './measure.ts'
import type { SoakedService } from './soaked-service.ts'

/** How long the service may take to remove what was deleted. */
const patienceMs = 120_000

/** Rows that must be gone once every sandbox, image and webhook was deleted. */
const emptied = [
  'sandboxes',
  'saved_disks',
  'machine_images',
  'snapshots',
  'http_mappings',
  'webhooks',
  'live_rooms',
]

/** Lists what is left although everything was deleted, but for the warm machine. */
export async function leftOver(service: SoakedService): Promise<string[]> {
  for (const end = performance.now() + patienceMs; ; await pause(2000)) {
    const left = await look(service)
    if (left.length === 0 || performance.now() > end) return left
  }
}

async function look(service: SoakedService): Promise<string[]> {
  const { settings } = service
  const figures = await measure(service)
  const rows = emptied
    .filter(table => count(figures, table) > 0)
    .map(table => `rows of ${table}: ${count(figures, table)}`)
  // One machine of the shape `warm` waits for the next create.
  const machines = count(figures, 'machines')
  // A container waits in each prepared root.
  const prepared = await preparedNames(settings)
  const groups = (await groupNames(groupParentOf(settings.instance))).filter(name => !prepared.includes(name))
  const folders = await readdir(settings.machinesDir).catch(() => [])
  return [
    ...rows,
    ...(machines > 1 ? [`rows of machines: ${machines}`] : []),
    ...(groups.length > machines ? [`cgroups: ${groups.length} for ${machines} machines`] : []),
    ...(folders.length > machines ? [`folders: ${folders.length} for ${machines} machines`] : []),
  ]
}

const count = (figures: Figures, table: string) => figures.get(`rows: ${table}`) ?? 0
