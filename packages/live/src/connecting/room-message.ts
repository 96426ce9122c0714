import type { RoomMessage, RoomStatus } from '@sandglass/protocol'

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
      return {
        kind: 'lease',
        number: number(json, 'number'),
        holder: holderOf(json['holder']),
        ...(typeof json['message'] === 'string' && { message: json['message'] }),
      }
    case 'sandbox':
      return {
        kind: 'sandbox',
        name: text(json, 'name'),
        status: statusOf(json['status']),
        isPhone: json['isPhone'] === true,
        expiresAt: text(json, 'expiresAt'),
        now: text(json, 'now'),
      }
    case 'viewers':
      return { kind: 'viewers', count: number(json, 'count'), viewers: viewersOf(json['viewers']) }
    case 'action':
      return { kind: 'action', text: text(json, 'text'), at: text(json, 'at') }
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

const statuses: readonly string[] = [
  'starting',
  'running',
  'paused',
  'hibernated',
  'stopped',
  'failed',
  'offline',
]

function isStatus(value: unknown): value is RoomStatus {
  return typeof value === 'string' && statuses.includes(value)
}

function statusOf(value: unknown): RoomStatus {
  return isStatus(value) ? value : 'running'
}

function viewersOf(value: unknown): { viewer: string; name: string }[] {
  if (!Array.isArray(value)) return []
  return value.filter(isObject).map(one => ({ viewer: text(one, 'viewer'), name: text(one, 'name') }))
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
