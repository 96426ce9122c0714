import { z } from 'zod'
import type { IncusClient } from '../client/index.ts'
import type { InstanceNames } from './instance-names.ts'

const Happening = z.object({ action: z.string(), source: z.string() })

/** What the cluster says of machines, whichever process did it. Some of it may be missing. */
export interface MachineListener {
  paused(id: string): void
  resumed(id: string): void
  ended(id: string): void
}

const reactions: Readonly<Record<string, keyof MachineListener>> = {
  'instance-paused': 'paused',
  'instance-resumed': 'resumed',
  'instance-stopped': 'ended',
  'instance-shutdown': 'ended',
  'instance-deleted': 'ended',
}

/** Follows the life cycles of the machines of a cluster until it is closed. */
export function followMachines(
  client: IncusClient,
  names: InstanceNames,
  listener: MachineListener,
): { close(): void } {
  return client.events(['lifecycle'], {
    event: ({ metadata }) => {
      const { data } = Happening.safeParse(metadata)
      const [, name = ''] = /^\/1\.0\/instances\/([^/?]+)(?:\?|$)/.exec(data?.source ?? '') ?? []
      const [id, reaction] = [names.idOf(name), reactions[data?.action ?? '']]
      if (id !== undefined && reaction) listener[reaction](id)
    },
    connected: () => {},
    disconnected: () => {},
  })
}
