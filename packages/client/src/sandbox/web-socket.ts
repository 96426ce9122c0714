/** What is needed of a WebSocket. The global one of Node 22, Deno and Bun has it, and that of the package `ws`. */
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
  /** If it is there, as in the package `ws`, the reason of a refusal can be read. */
  on?(event: 'unexpected-response', listener: (request: unknown, response: unknown) => void): unknown
}

/** It is called with the address and `{ headers }`, which browsers do not take. */
export type WebSocketClass = new (...args: never[]) => object

/** Such a class as it is called. */
export type WebSocketWithHeaders = new (
  url: string,
  options: { readonly headers: Readonly<Record<string, string>> },
) => WebSocketLike

/** The answer of a service that refused a WebSocket, by the package `ws`. */
interface Refusal {
  readonly statusCode?: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  on(event: 'data', listener: (piece: Uint8Array<ArrayBuffer>) => void): void
  on(event: 'end' | 'close' | 'error', listener: () => void): void
}

/** Calls back with the answer if the service refuses the connection. */
export function onRefusal(socket: WebSocketLike, report: (response: Response) => void): void {
  socket.on?.('unexpected-response', (request, response) => {
    const refusal = response as Refusal
    const { statusCode = 502, headers } = refusal
    const pieces: Uint8Array<ArrayBuffer>[] = []
    const end = () => {
      const status = statusCode >= 400 ? statusCode : 502
      report(new Response(new Blob(pieces), { status, headers: textHeaders(headers) }))
      ;(request as { destroy?: () => void }).destroy?.()
    }
    refusal.on('data', piece => pieces.push(piece))
    refusal.on('end', end)
    refusal.on('error', end)
  })
}

function textHeaders(headers: Refusal['headers']): Headers {
  const all = new Headers()
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) all.set(name, String(value))
  return all
}
