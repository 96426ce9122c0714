import { Supervised } from '@sandglass/supervision'
import type { WebSocket } from 'ws'
import { type IncusEvent, readEvent } from './answers.ts'
import { Deadline } from './deadline.ts'
import { reasonOf } from './errors.ts'
import { watchHeartbeat } from './heartbeat.ts'
import type { Transport } from './transport.ts'

export interface EventListener {
  event(event: IncusEvent): void
  /** Events arrive from now on. What happened before has to be looked up. */
  connected(): void
  /** Events are missing from now on until `connected` is called again. Called once per loss. */
  disconnected(reason: string): void
}

interface Link {
  readonly webSocket: WebSocket
  readonly ended: Promise<string>
}

/** Follows events until it is closed. */
export function followEvents(
  transport: Transport,
  path: string,
  listener: EventListener,
  { deadlineMs, pingEveryMs }: { deadlineMs: number; pingEveryMs: number },
): { close(): void } {
  let isClosed = false
  let isLost = false
  const lose = (reason: string) => {
    if (!isClosed && !isLost) listener.disconnected(reason)
    isLost = true
  }
  const links = new Supervised<Link>({
    open: async signal => {
      const { promise: ended, resolve: end } = Promise.withResolvers<string>()
      const prepare = (webSocket: WebSocket) => {
        const fail = (reason: string) => {
          end(reason)
          webSocket.terminate()
        }
        webSocket.once('open', () => {
          isLost = false
          if (!isClosed) listener.connected()
        })
        webSocket.on('message', data => {
          try {
            const event = readEvent(String(data))
            if (!isClosed) listener.event(event)
          } catch (error) {
            fail(reasonOf(error))
          }
        })
        webSocket.once('close', () => end('Incus closed the connection.'))
        watchHeartbeat(webSocket, pingEveryMs, () => fail('The connection to Incus fell silent.'))
      }
      const deadline = new Deadline(deadlineMs, signal)
      return { webSocket: await transport.webSocket(path, deadline, 'Following events', prepare), ended }
    },
    ended: ({ ended }) => ended.then(lose),
    close: ({ webSocket }) => webSocket.terminate(),
    backoff: { firstMs: 100, maxMs: 5_000 },
    onFailure: failure => failure && lose(reasonOf(failure.reason)),
  })
  links.hold()
  return {
    close: () => {
      isClosed = true
      links.close()
    },
  }
}
