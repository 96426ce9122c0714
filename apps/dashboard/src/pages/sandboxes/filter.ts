import type { Sandbox, SandboxStatus } from '@sandglass/protocol'

export type Order = 'newest' | 'ending' | 'name' | 'status'

/** What a person looks for. Texts that are empty match everything. */
export interface Filter {
  readonly text: string
  readonly status: '' | SandboxStatus | 'ENDED'
  readonly projectId: string
  readonly order: Order
}

export const noFilter: Filter = { text: '', status: '', projectId: '', order: 'newest' }

/** Every word of the text must be in the name, the id, the shape or a label. */
export function passes(sandbox: Sandbox, { text, status, projectId }: Filter): boolean {
  if (status && status !== 'ENDED' && sandbox.status !== status) return false
  if (projectId && sandbox.projectId !== projectId) return false
  const searched = textOf(sandbox)
  return text
    .toLowerCase()
    .split(/\s+/)
    .every(word => searched.includes(word))
}

function textOf({ name, id, shapeName, labels, controlledBy = '' }: Sandbox): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return [name, id, shapeName, controlledBy, ...pairs].join('\n').toLowerCase()
}

const orders: Readonly<Record<Order, (a: Sandbox, b: Sandbox) => number>> = {
  newest: (a, b) => b.createdAt.localeCompare(a.createdAt),
  ending: (a, b) => a.expiresAt.localeCompare(b.expiresAt),
  name: (a, b) => a.name.localeCompare(b.name),
  status: (a, b) => a.status.localeCompare(b.status),
}

/** Those for which a person is needed come first, whatever the order. */
export function sorted(sandboxes: readonly Sandbox[], order: Order): readonly Sandbox[] {
  const urgency = ({ personNeeded }: Sandbox) => (personNeeded ? 0 : 1)
  return sandboxes.toSorted((a, b) => urgency(a) - urgency(b) || orders[order](a, b))
}
