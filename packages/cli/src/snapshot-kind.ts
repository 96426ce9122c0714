import type { Sandglass } from '@sandglass/client'
import type { Context } from './context.ts'

export function snapshotsKind(client: Sandglass, { signal }: Context, sandboxId: string) {
  return {
    noun: 'snapshot',
    plural: 'snapshots',
    listedBy: `sandglass sandbox snapshot list ${sandboxId}`,
    list: () => client.listSandboxSnapshots({ sandboxId }, { signal }),
  }
}
