import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engines } from '../../packages/server/src/machines/engines.ts'
import { startTestService, type TestService } from '../../packages/server/src/testing/test-service.ts'
import { type NodeDatabase, nodeIdIn } from './nodes.ts'
import { paperEngines } from './paper-engine.ts'
import { temporaryFolder } from './service-process.ts'

/** A node whose machines exist only in memory. */
export interface PaperNode extends TestService {
  readonly nodeId: string
  readonly engines: Engines
}

export interface PaperNodeOptions {
  /** The number of machines that fit; 0 for a process without an engine. */
  readonly places: number
  /** The size of the warm pool of the shape `small`. */
  readonly warm?: number
}

export async function startPaperNode(
  { env }: Pick<NodeDatabase, 'env'>,
  { places, warm = 0 }: PaperNodeOptions,
): Promise<PaperNode> {
  const shapes = join(await temporaryFolder(), 'shapes.json')
  await writeFile(shapes, JSON.stringify({ shapes: [{ ...small, warm }] }))
  const engines = paperEngines({ places })
  const openEngines = places > 0 ? async () => engines : undefined
  const service = await startTestService({ ...env, SANDGLASS_SHAPES: shapes }, openEngines)
  return Object.assign(service, { nodeId: await nodeIdIn(service.folder), engines })
}

/** The same shape as in `testShapes`, so that such a node can share a database with one that has real machines. */
const small = {
  name: 'small',
  description: 'For tests.',
  os: 'Linux',
  virtualization: 'Container',
  engine: 'local',
  image: 'minimal',
  cpus: 1,
  memoryMiB: 512,
  diskMiB: 512,
  pids: 256,
}
