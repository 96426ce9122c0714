import { type Credential, requestOf } from './credential.tsx'
import type { Values } from './placeholders.ts'

/** Where values of a placeholder are listed, and how an entry of the list is named. */
interface Source {
  readonly path: string
  /** The field of the response that has the list, if it is not the list itself. */
  readonly in?: string
  readonly id?: string
}

const sources: Readonly<Record<string, Source>> = {
  imageId: { path: '/api/orgs/{orgId}/machine-images', in: 'images' },
  invitationId: { path: '/api/orgs/{orgId}/sandboxes/{sandboxId}/live/invitations' },
  keyId: { path: '/api/orgs/{orgId}/api-keys' },
  mcpServerId: { path: '/api/orgs/{orgId}/mcp-servers' },
  nodeId: { path: '/api/operator/nodes' },
  organizationId: { path: '/api/operator/organizations' },
  planName: { path: '/api/operator/plans', id: 'name' },
  projectId: { path: '/api/orgs/{orgId}/projects' },
  sandboxId: { path: '/api/orgs/{orgId}/sandboxes' },
  shapeName: { path: '/api/orgs/{orgId}/shapes', id: 'name' },
  snapshotId: { path: '/api/orgs/{orgId}/sandboxes/{sandboxId}/snapshots' },
  tokenId: { path: '/api/orgs/{orgId}/trial-tokens' },
  type: { path: '/api/parser-types', id: 'type' },
  volumeId: { path: '/api/orgs/{orgId}/volumes' },
  webhookId: { path: '/api/orgs/{orgId}/webhooks' },
}

export interface Suggestion {
  readonly value: string
  readonly label: string
}

/** What a placeholder could stand for, as the service lists it. Empty if it cannot be listed, or not by this caller. */
export async function suggestionsFor(
  name: string,
  values: Values,
  credential: Credential,
): Promise<Suggestion[]> {
  const source = sources[name]
  if (!source || credential.kind === 'none') return []
  const path = source.path.replaceAll(/\{(\w+)\}/g, (_hole, each: string) =>
    encodeURIComponent(values[each] || '-'),
  )
  try {
    const response = await fetch(path, requestOf(credential))
    if (!response.ok) return []
    const answer = Object(await response.json())
    const listed: unknown = source.in === undefined ? answer : answer[source.in]
    return Array.isArray(listed) ? listed.map(entry => suggestionOf(Object(entry), source)) : []
  } catch {
    return []
  }
}

function suggestionOf(entry: Record<string, unknown>, { id = 'id' }: Source): Suggestion {
  const value = String(entry[id] ?? '')
  return { value, label: id === 'id' ? String(entry['name'] ?? '') : '' }
}
