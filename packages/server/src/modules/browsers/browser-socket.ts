import type { IncomingMessage } from 'node:http'
import { type AnswerHeaders, type HeaderList, Relay } from '@sandglass/mappings'
import { ApiError } from '@sandglass/protocol'
import type { SocketResponse } from '../../http/socket-response.ts'
import type { SandboxRow } from '../../records/sandboxes.ts'
import type { OpenConnection } from '../tunnels/open-connection.ts'
import { type DebuggingPort, faultOf } from './debugging-port.ts'

/** How often the kernel asks whether the host of a caller is still there. */
const keepAliveMs = 30_000

/** Only these headers pass in each direction. A browser refuses WebSockets with the Origin of a page. */
const handshake = [
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
]
const answered = ['sec-websocket-accept', 'sec-websocket-extensions', 'sec-websocket-protocol']

export interface BrowserSocketParts {
  readonly port: DebuggingPort
  readonly path: string
  /** The epoch of the URL that it was opened with. */
  readonly epoch: number
  /** Called when the protocol is switched. */
  readonly onOpen: () => void
  readonly onRefused: (error: ApiError) => void
  readonly onUse: () => void
  readonly onEnd: () => void
}

/** A browser that does not switch to a WebSocket has no such page. What it answers instead is not passed on. */
class SocketRelay extends Relay {
  override onResponseStart(_: unknown, status: number): void {
    if (status >= 200) this.fail(new ApiError('browser.NOT_FOUND'))
  }
}

/** A WebSocket that is passed on to a browser as it is: messages can be long, and are neither read nor kept here. */
export class BrowserSocket implements OpenConnection {
  readonly #relay: Relay
  readonly #epoch: number

  constructor(request: IncomingMessage, response: SocketResponse, parts: BrowserSocketParts) {
    const { port, path, epoch, onOpen, onRefused, onUse, onEnd } = parts
    this.#epoch = epoch
    this.#relay = new SocketRelay(request, response, {
      upstream: port.pool,
      url: path,
      headers: ['host', port.host, ...namedOf(request.headers, handshake)],
      body: null,
      upgrade: 'websocket',
      toClient: headers => {
        onOpen()
        return namedOf(headers, answered)
      },
      faultOf,
      refuse: onRefused,
      onUse,
      onEnd: () => {
        void port[Symbol.asyncDispose]()
        onEnd()
      },
    })
    response.socket?.setNoDelay(true)
    response.socket?.setKeepAlive(true, keepAliveMs)
  }

  start(): void {
    this.#relay.start()
  }

  close(): void {
    this.#relay.cut()
  }

  /** The kernel notices a caller whose host is gone. */
  check(): void {}

  whyRevoked({ browser_epoch }: Pick<SandboxRow, 'browser_epoch'>): ApiError | undefined {
    return browser_epoch === this.#epoch ? undefined : new ApiError('browser.UNAUTHORIZED')
  }
}

function namedOf(headers: AnswerHeaders, names: readonly string[]): HeaderList {
  return names.flatMap(name => {
    const value = headers[name]
    return typeof value === 'string' ? [name, value] : []
  })
}
