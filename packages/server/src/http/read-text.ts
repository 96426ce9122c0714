import type { IncomingMessage } from 'node:http'
import { finished } from 'node:stream'
import { ApiError } from '@sandglass/protocol'
import { bodyTimeoutMs } from './body-deadline.ts'

interface Limits {
  readonly maxBytes: number
  readonly timeoutMs?: number
}

type Done = (error: Error | null, text?: string) => void

/**
 * Reads the text of a body. Nearly every one comes with its head and is there when what came has been read, which is
 * when immediates run: it is then taken as a whole. Listening to it as a stream would take a quarter of a short call.
 */
export function readText(body: IncomingMessage, limits: Limits, done: Done): void {
  const { maxBytes } = limits
  whenRead(() => {
    if (Number(body.headers['content-length']) > maxBytes) done(new ApiError('request.BODY_TOO_LARGE'))
    else if (!body.complete) collect(body, limits, done)
    else {
      const bytes: Buffer | null = body.read()
      if (bytes && bytes.length > maxBytes) done(new ApiError('request.BODY_TOO_LARGE'))
      else done(null, bytes?.toString() ?? '')
    }
  })
}

const waiting: (() => void)[] = []

/** When what came in this turn has been read: one immediate for all who wait for that. */
function whenRead(work: () => void): void {
  if (waiting.push(work) === 1)
    setImmediate(() => {
      for (const work of waiting.splice(0)) work()
    })
}

/** Of a body that is still on its way. */
function collect(body: IncomingMessage, { maxBytes, timeoutMs = bodyTimeoutMs }: Limits, done: Done): void {
  const chunks: Buffer[] = []
  let length = 0
  const take = (chunk: Buffer) => {
    length += chunk.length
    if (length <= maxBytes) chunks.push(chunk)
    else end(new ApiError('request.BODY_TOO_LARGE'))
  }
  const end = (error: Error | null) => {
    clearTimeout(timer)
    ignoreEnd()
    body.off('data', take)
    if (error) done(error)
    else done(null, Buffer.concat(chunks).toString())
  }
  const ignoreEnd = finished(body, { writable: false }, error =>
    end(error ? new ApiError('request.MALFORMED', { cause: error }) : null),
  )
  const timer = setTimeout(
    () => end(new ApiError('request.MALFORMED', { message: 'The body did not arrive in time.' })),
    timeoutMs,
  )
  body.on('data', take)
}
