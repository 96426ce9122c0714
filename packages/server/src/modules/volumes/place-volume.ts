import { ApiError } from '@sandglass/protocol'
import { otherNodes } from '../../placement/other-nodes.ts'
import type { CreateChoices } from '../sandboxes/create.ts'
import type { SandboxParts } from '../sandboxes/parts.ts'

/** Errors which guarantee that nothing was created, so that another node can be tried. */
const retryableCodes = new Set([
  'volume.UNSUPPORTED',
  'machine.NOT_READY',
  'machine.NO_CAPACITY',
  'node.DISK_FULL',
  'node.GONE',
])

/** Creates a volume on the first node that can, beginning with this one. */
export async function placeVolume<T>(
  parts: SandboxParts,
  createHere: (engine: string) => Promise<T>,
  { isPlaced, elsewhere }: CreateChoices<T>,
): Promise<T> {
  const refusals: ApiError[] = []
  const attempt = async (create: () => Promise<T>): Promise<{ readonly made: T } | undefined> => {
    try {
      return { made: await create() }
    } catch (error) {
      if (!(error instanceof ApiError && retryableCodes.has(error.code))) throw error
      refusals.push(error)
      return undefined
    }
  }
  const here = await attempt(async () => createHere(await engineHere(parts)))
  if (here) return here.made
  for (const nodeId of isPlaced ? [] : await otherNodes(parts.db, parts.placement)) {
    const there = await attempt(() => elsewhere(nodeId))
    if (there) return there.made
  }
  throw refusals.find(({ code }) => code !== 'volume.UNSUPPORTED') ?? new ApiError('volume.UNSUPPORTED')
}

/** Returns the name of an engine of this node that can create volumes now. Throws if there is none. */
async function engineHere({ shapes, keeper, creation }: SandboxParts): Promise<string> {
  let obstacle: ApiError | undefined
  for (const shape of shapes.all()) {
    if (!keeper.engines.get(shape.engine)?.volumes) continue
    obstacle = await creation.obstacle(shape)
    if (!obstacle) return shape.engine
  }
  throw obstacle ?? new ApiError('volume.UNSUPPORTED')
}
