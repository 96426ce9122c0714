import type { RoomSandbox } from '@sandglass/gateway/rooms'
import { ApiError, type EndReason, type RoomStatus } from '@sandglass/protocol'
import type { RoomRow } from './store.ts'

/** What viewers are told of a sandbox. */
export function roomSandboxOf(row: RoomRow, isPhone: boolean): RoomSandbox {
  return { name: row.name, status: statusOf(row), isPhone, expiresAt: row.expires_at.toISOString() }
}

function statusOf({ status, paused, hibernated, before_loss }: RoomRow): RoomStatus {
  if (status === 'PENDING') return 'starting'
  if (status === 'RUNNING') return 'running'
  if (status === 'ERROR') return before_loss ? 'offline' : 'failed'
  if (hibernated) return 'hibernated'
  return paused ? 'paused' : 'stopped'
}

const ends: Readonly<Record<EndReason, string>> = {
  deleted: 'This sandbox was deleted.',
  expired: 'This sandbox has expired.',
  idle: 'This sandbox ended because nobody used it.',
  'not-woken': 'This sandbox was paused for too long and has ended.',
  replaced: 'This sandbox was replaced by another one.',
  'mcp-server-deleted': 'This sandbox was deleted together with its MCP server.',
}

/** Tells viewers why their sandbox is gone. */
export function roomGone(reason: EndReason | undefined): ApiError {
  return new ApiError('live.ROOM_GONE', { message: reason && ends[reason] })
}
