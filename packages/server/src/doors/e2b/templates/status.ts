import { setTimeout as delay } from 'node:timers/promises'
import { buildView, linesPerAnswer } from '@sandglass/doors/e2b'
import { ApiError } from '@sandglass/protocol'
import { z } from 'zod'
import { AnsweredElsewhere } from '../../../http/api.ts'
import { parseInput } from '../../../http/input.ts'
import type { KeptLog } from '../../../modules/images/builds/kept-logs.ts'
import { imageOf, selectImage } from '../../../modules/images/store.ts'
import type { ControlCall } from '../control/control-call.ts'
import type { DoorParts } from '../door-parts.ts'
import { buildIdIn } from './begin.ts'

/** A client that waits for the end of a build gets no answer for so long while nothing happens, because it asks again at once. */
const maxWaitMs = 5000

const StatusQuery = z.object({ logsOffset: z.coerce.number().int().min(0).max(1_000_000).optional() })

/** Answers how a build stands, and what it has printed from some line on. */
export async function buildStatus({ imageBuilds, pool, sandboxes }: DoorParts, call: ControlCall) {
  const { request, reply, orgId } = call
  const imageId = buildIdIn(call)
  const { logsOffset } = parseInput(StatusQuery, request.query, 'query')
  const find = async () => {
    const row = await selectImage(pool.db, imageId)
    if (row?.org_id !== orgId) throw new ApiError('image.NOT_FOUND', { message: 'There is no such build.' })
    return imageOf(row, sandboxes.shapes)
  }
  const image = await find()
  const location = await imageBuilds.locate(imageId)
  // A process that has gone took the log with it. The image says how the build ended.
  if (location.at === 'node' && image.status === 'CREATING') {
    await sandboxes.placement.peers.forward(request, reply, location.nodeId)
    throw new AnsweredElsewhere()
  }
  const log = imageBuilds.logOf(imageId)
  if (log && logsOffset !== undefined) await newLine(log, logsOffset, call.signal)
  return buildView(call.id, await find(), log?.from(logsOffset ?? 0, linesPerAnswer) ?? [])
}

/** Waits until there is a line from this one on, or the build is over. */
async function newLine(log: KeptLog, from: number, signal: AbortSignal): Promise<void> {
  if (log.isOver || log.from(from, 1).length > 0) return
  const waiting = new AbortController()
  const timeout = delay(maxWaitMs, undefined, { signal: AbortSignal.any([waiting.signal, signal]) })
  await Promise.race([log.changed, timeout.catch(() => {})])
  waiting.abort()
}
