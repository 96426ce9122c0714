import {
  ApiError,
  type EventQuery,
  EventTypeName,
  eventTypes,
  type LoggedEvent,
  listAllEvents,
  listEvents,
  listSandboxEvents,
  type Role,
  roleAllows,
} from '@sandglass/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from '../../db/database.ts'
import { follow } from '../../events/follow.ts'
import { logStart, positionIn } from '../../events/position.ts'
import { type EventFilter, readEvents } from '../../events/read.ts'
import { isKept } from '../../events/retention.ts'
import type { EventTail } from '../../events/tail.ts'
import type { Api, Call } from '../../http/api.ts'
import { requireSeen } from './ended-sandbox.ts'
import { OpenStreams } from './open-streams.ts'
import { sendStream } from './send-stream.ts'

/** Frequent enough for proxies, which close silent connections. */
const heartbeatMs = 15_000

export interface EventParts {
  readonly pool: Pool
  readonly tail: EventTail
  /** The maximum number of open streams per organization. */
  readonly maxStreams: number
}

export function serveEvents(api: Api, { pool, tail, maxStreams }: EventParts): void {
  const { db } = pool
  const streams = new OpenStreams(maxStreams)

  api.serve(listEvents, async call => {
    const { member, params, query } = call
    return await answer(call, { ...filterOf(query, member.role), orgId: params.orgId })
  })

  api.serve(listSandboxEvents, async call => {
    const { member, params, query } = call
    await requireSeen(pool, member, params.sandboxId)
    const { orgId, sandboxId: subject } = params
    return await answer(call, { ...filterOf(query, member.role), orgId, subject })
  })

  api.serve(listAllEvents, async call => {
    const { query } = call
    return await answer(call, { ...filterOf(query, null), orgId: query.orgId })
  })

  type Chosen = Omit<EventQuery, 'subject'>

  async function answer(
    {
      request,
      reply,
      signal,
      query,
    }: Pick<Call<string, Chosen, unknown>, 'request' | 'reply' | 'signal' | 'query'>,
    filter: EventFilter,
  ) {
    const isStream = wantsStream(request)
    const cursor = isStream ? (lastEventId(request) ?? query.cursor) : query.cursor
    const isForward = isStream || query.order === 'oldest'
    if (cursor !== undefined && isForward) await requireKept(cursor)
    return isStream
      ? stream(reply, filter, cursor ?? (query.since === undefined ? await tail.now() : logStart), signal)
      : await page(filter, { ...query, cursor })
  }

  async function page(filter: EventFilter, { order, limit, cursor }: Chosen) {
    const events = await readEvents(db, { ...filter, order, limit, beyond: cursor })
    const last: LoggedEvent | undefined = events.length === limit ? events.at(-1) : undefined
    return { events, nextCursor: last?.id ?? null }
  }

  function stream(
    reply: FastifyReply,
    filter: EventFilter,
    after: string,
    signal: AbortSignal,
  ): FastifyReply {
    const end = new AbortController()
    const close = streams.open(filter.orgId ?? '')
    const stop = () => end.abort()
    for (const each of [signal, api.closing]) each.addEventListener('abort', stop)
    const followed = follow(db, tail, filter, after, heartbeatMs, end.signal)
    return sendStream(reply, after, followed, () => {
      stop()
      api.closing.removeEventListener('abort', stop)
      close()
    })
  }

  /** A reader that has missed events must know it. */
  async function requireKept(cursor: string): Promise<void> {
    if (!(await isKept(db, cursor))) throw new ApiError('event.CURSOR_EXPIRED')
  }
}

function filterOf({ types, subject, since, before }: Partial<EventQuery>, role: Role | null): EventFilter {
  return {
    types: readable(types, role),
    subject,
    since: since === undefined ? undefined : new Date(since),
    before: before === undefined ? undefined : new Date(before),
  }
}

/** Returns those of the types that a role may read; the operator, who has none, may read all. */
function readable(
  types: readonly EventTypeName[] | undefined,
  role: Role | null,
): readonly EventTypeName[] | undefined {
  if (role === null) return types
  return (types ?? EventTypeName.options).filter(type => {
    const needed = eventTypes[type].role
    return needed !== null && roleAllows(role, needed)
  })
}

function wantsStream({ headers }: FastifyRequest): boolean {
  return headers.accept?.includes('text/event-stream') === true
}

function lastEventId({ headers }: FastifyRequest): string | undefined {
  const given = headers['last-event-id']
  if (given === undefined || given === '') return undefined
  if (positionIn(String(given))) return String(given)
  throw new ApiError('request.INVALID', {
    message: 'The request is not valid: Last-Event-ID: must be the id of an event.',
    fields: { issues: [{ path: 'Last-Event-ID', message: 'must be the id of an event' }] },
  })
}
