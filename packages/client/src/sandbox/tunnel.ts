import type { CallOptions } from '../call-options.ts'
import type { Target } from './target.ts'

/** What is needed of a WebSocket, which the global one of Node 22, Deno and Bun, and that of the package `ws`, have. */
export interface WebSocketLike {
  binaryType: string
  readonly readyState: number
  readonly bufferedAmount: number
  send(data: Uint8Array<ArrayBuffer>): void
  close(code?: number, reason?: string): void
  addEventListener(type: string, listener: (event: never) => void): void
  /** If it is there, a slow reader slows down the sender. */
  pause?(): void
  resume?(): void
}

export type WebSocketClass = new (
  url: string,
  options: { readonly headers: Readonly<Record<string, string>> },
) => WebSocketLike

export interface TunnelOptions extends CallOptions {
  /** The WebSocket to use, such as that of the package `ws`. The global one by default, which Node has since version 22. */
  readonly webSocket?: WebSocketClass | undefined
}

/** A connection to a port of a sandbox. */
export interface Tunnel extends AsyncDisposable {
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>
  readonly writable: WritableStream<Uint8Array>
  /** Resolves when the connection has ended, and rejects if that was because of an error. */
  readonly closed: Promise<void>
  close(): void
}

export async function openTunnel(
  _target: Target,
  _port: number | 'adb',
  _options: TunnelOptions,
): Promise<Tunnel> {
  throw new TypeError('not yet')
}
