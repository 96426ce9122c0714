import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { denoBinary, handToDeno, runDeno } from './deno.ts'
import { type ClientConfig, socketName } from './relay/relay-config.ts'

export interface QuicServer {
  readonly host: string
  readonly port: number
  readonly certificateHashBase64: string
  /** Aborts the attempt to connect, or the connection. */
  readonly signal?: AbortSignal
  /** For tests: an ALPN that servers refuse. */
  readonly alpn?: string
}

/**
 * Connects to a server over QUIC, as native clients of the live view do. Node has no QUIC yet, so a Deno process
 * relays the bytes; it exits with the stream.
 */
export async function connectQuic(server: QuicServer): Promise<Duplex> {
  const binary = denoBinary()
  if (!binary) throw new Error(`There is no Deno for ${process.platform} on ${process.arch}.`)
  const { host, port, certificateHashBase64, alpn, signal } = server
  signal?.throwIfAborted()
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-quic-client-'))
  const socket = join(folder, socketName)
  const carried = createServer({ allowHalfOpen: true }).listen(socket)
  await once(carried, 'listening')
  for (const path of [folder, socket]) await handToDeno(path)
  const config: ClientConfig = {
    hostname: host,
    port,
    hashBase64: certificateHashBase64,
    ...(alpn && { alpn }),
  }
  const child = runDeno({
    binary,
    folder,
    program: 'client.ts',
    args: [JSON.stringify(config)],
    host,
    port,
  })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    said += text
  })
  const abort = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', abort, { once: true })
  const ended = once(child, 'close').finally(async () => {
    signal?.removeEventListener('abort', abort)
    carried.close()
    await rm(folder, { recursive: true, force: true })
  })
  const stream: Socket | undefined = await Promise.race([
    once(carried, 'connection').then(([first]) => first),
    ended.then(() => undefined),
  ])
  signal?.throwIfAborted()
  if (!stream)
    throw new Error(`QUIC to ${host}:${port} failed: ${/error: .*?: (.*)/i.exec(said)?.[1] ?? said}`)
  stream.once('close', () => child.stdin?.end())
  return stream
}
