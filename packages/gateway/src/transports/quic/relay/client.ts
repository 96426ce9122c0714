/**
 * A QUIC client that runs in Deno: it relays one stream between a unix socket and a server that is identified by its
 * hash. It exits with the stream, or when its standard input closes.
 */
import { carry } from './carry.ts'
import { delay } from './delay.ts'
import { type ClientConfig, quicAlpn, socketName } from './relay-config.ts'

const closeDelayMs = 100

const { hostname, port, hashBase64, alpn = quicAlpn }: ClientConfig = JSON.parse(Deno.args[0] ?? '')
const conn = await Deno.connectQuic({
  hostname,
  port,
  alpnProtocols: [alpn],
  keepAliveInterval: 5_000,
  maxIdleTimeout: 15_000,
  congestionControl: 'low-latency',
  serverCertificateHashes: [
    { algorithm: 'sha-256', value: Uint8Array.from(atob(hashBase64), char => char.charCodeAt(0)) },
  ],
})
const { toSocket, toStream } = carry(
  await conn.createBidirectionalStream(),
  await Deno.connect({ transport: 'unix', path: socketName }),
)
await Promise.race([conn.closed, Promise.all([toSocket, toStream]), endOf(Deno.stdin.readable)]).catch(
  () => {},
)
conn.close({ closeCode: 0, reason: '' })
// Let the close frame be sent before the process exits.
await delay(closeDelayMs)
Deno.exit()

async function endOf(input: ReadableStream<Uint8Array>): Promise<void> {
  for await (const _ of input);
}
