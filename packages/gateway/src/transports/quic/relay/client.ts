/** A QUIC client, a program of Deno's: one stream between a unix socket and a server that is known by its hash. */
import { carry } from './carry.ts'
import { type ClientOrders, quicAlpn } from './orders.ts'

const { hostname, port, hashBase64, socket, alpn = quicAlpn }: ClientOrders = JSON.parse(Deno.args[0] ?? '')
const conn = await Deno.connectQuic({
  ...{ hostname, port, alpnProtocols: [alpn] },
  ...{ keepAliveInterval: 5_000, maxIdleTimeout: 15_000 },
  serverCertificateHashes: [
    { algorithm: 'sha-256', value: Uint8Array.from(atob(hashBase64), char => char.charCodeAt(0)) },
  ],
})
const { toSocket, toStream } = carry(
  await conn.createBidirectionalStream(),
  await Deno.connect({ transport: 'unix', path: socket }),
)
await Promise.race([conn.closed, Promise.all([toSocket, toStream])]).catch(() => {})
conn.close({ closeCode: 0, reason: '' })
// What it was told to close goes out before it does.
await conn.closed.catch(() => {})
Deno.exit()
