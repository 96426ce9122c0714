import type { RoomMessage } from '@sandglass/protocol'

type Fields = Readonly<Record<string, unknown>>

/** Reads a message of the control channel; undefined for kinds that this version does not know, which are ignored. */
export function readRoomMessage(json: unknown): RoomMessage | undefined {
  if (!isObject(json)) return undefined
  switch (json['kind']) {
    case 'welcome':
      return {
        kind: 'welcome',
        version: 1,
        viewer: text(json, 'viewer'),
        scope: scopeOf(json['scope']),
        expiresAt: text(json, 'expiresAt'),
      }
    case 'lease':
      return { kind: 'lease', number: number(json, 'number'), holder: holderOf(json['holder']) }
    case 'asked':
      return { kind: 'asked', viewer: text(json, 'viewer'), name: text(json, 'name') }
    case 'refused':
      return { kind: 'refused', reason: text(json, 'reason') }
    case 'token':
      return {
        kind: 'token',
        token: text(json, 'token'),
        expiresAt: text(json, 'expiresAt'),
        scope: scopeOf(json['scope']),
      }
    case 'machine':
      return { kind: 'machine', isThere: json['isThere'] === true }
    case 'goodbye':
      return {
        kind: 'goodbye',
        code: text(json, 'code'),
        message: text(json, 'message'),
        isFinal: json['isFinal'] === true,
      }
    default:
      return undefined
  }
}

type Lease = Extract<RoomMessage, { kind: 'lease' }>
type Scope = Extract<RoomMessage, { kind: 'welcome' }>['scope'][number]

function holderOf(json: unknown): Lease['holder'] {
  if (!isObject(json)) return { kind: 'nobody' }
  if (json['kind'] === 'person')
    return { kind: 'person', viewer: text(json, 'viewer'), name: text(json, 'name') }
  return { kind: json['kind'] === 'agent' ? 'agent' : 'nobody' }
}

const scopes: readonly string[] = ['view', 'input', 'clipboard:read', 'clipboard:write', 'force']

function scopeOf(value: unknown): Scope[] {
  return Array.isArray(value) ? value.filter(isScope) : []
}

function isScope(value: unknown): value is Scope {
  return typeof value === 'string' && scopes.includes(value)
}

function isObject(json: unknown): json is Fields {
  return typeof json === 'object' && json !== null
}

function text(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

function number(fields: Fields, name: string): number {
  const value = fields[name]
  return typeof value === 'number' ? value : 0
}
