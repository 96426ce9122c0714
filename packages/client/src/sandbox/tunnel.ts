import type { CallOptions } from '../call-options.ts'
import { ConfigurationError, ConnectionError, TimeoutError } from '../errors.ts'
import type { Target } from './target.ts'
import { TunnelStreams } from './tunnel-streams.ts'
import type { WebSocketClass, WebSocketLike, WebSocketWithHeaders } from './web-socket.ts'

const usualTimeoutMs = 30_000

export interface TunnelOptions extends CallOptions {
  /** The WebSocket to use, such as that of the package `ws`. The global one by default, which Node has since version 22. */
  readonly webSocket?: WebSocketClass | undefined
}

/** A connection to a port of a sandbox. Each direction ends by itself, as with TCP. */
export interface Tunnel extends AsyncDisposable {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>
  /** Closing it ends this direction only. */
  readonly writable: WritableStream<Uint8Array>
  /** Resolves when both directions have ended, and rejects if that was because of an error. */
  readonly closed: Promise<void>
  /** Ends both directions at once. */
  close(): void
}

/** Connects to a port through a WebSocket. */
export async function openTunnel(
  target: Target,
  port: number | 'adb',
  options: TunnelOptions,
): Promise<Tunnel> {
  const { signal, timeoutMs = usualTimeoutMs } = options
  signal?.throwIfAborted()
  const socket = await connect(target, port, options)
  const tunnel = new TunnelStreams(socket)
  const end = () => tunnel.close(signal?.reason)
  signal?.addEventListener('abort', end, { once: true })
  tunnel.closed.catch(() => {}).then(() => signal?.removeEventListener('abort', end))
  const timer = setTimeout(() => tunnel.close(tooLong(timeoutMs)), timeoutMs)
  try {
    await tunnel.opened
    return tunnel
  } catch (error) {
    if (error instanceof ConnectionError && error.code === 'client.DISCONNECTED')
      throw await whyRefused(target, port, error)
    throw error
  } finally {
    clearTimeout(timer)
  }
}

async function connect(
  { client, sandboxId }: Target,
  port: number | 'adb',
  { webSocket, headers }: TunnelOptions,
): Promise<WebSocketLike> {
  const WebSocket = (webSocket ?? globalThis.WebSocket) as WebSocketWithHeaders | undefined
  if (!WebSocket)
    throw new ConfigurationError(
      'There is no WebSocket here: pass webSocket, such as that of the package ws, or use Node 22 or newer.',
      { code: 'client.NO_WEB_SOCKET' },
    )
  const { url, orgId, apiKey } = await client.credentials()
  const names = [orgId, 'sandboxes', sandboxId, 'tunnel', String(port)].map(encodeURIComponent)
  const address = `${url.replace(/^http/, 'ws')}/api/orgs/${names.join('/')}`
  try {
    return new WebSocket(address, { headers: { ...headers, 'x-api-key': apiKey } })
  } catch (cause) {
    throw new ConfigurationError(
      'This WebSocket cannot send an API key, as in browsers. Pass a webSocket that can, such as that of the package ws.',
      { code: 'client.NO_WEB_SOCKET', cause },
    )
  }
}

/** A WebSocket does not say why it was refused, so what is usually the reason is looked up. */
async function whyRefused(
  { client, sandboxId }: Target,
  port: number | 'adb',
  cause: unknown,
): Promise<unknown> {
  try {
    const { sandbox } = await client.getSandbox({ sandboxId })
    return new ConnectionError(
      `No connection to port ${port} of the sandbox, which is ${sandbox.status}. Check that a program listens on it.`,
      { code: 'client.TUNNEL_REFUSED', cause },
    )
  } catch (error) {
    return error
  }
}

function tooLong(timeoutMs: number): TimeoutError {
  return new TimeoutError(`The tunnel was not open after ${timeoutMs} ms.`, { code: 'client.TIMEOUT' })
}
