/**
 * The relay, a program of Deno's: WebTransport and QUIC on a UDP port, each peer carried on to the service over a unix
 * socket. It understands nothing of what it carries, and ends when its standard input does.
 */
import { linesOf } from './lines.ts'
import { type Listening, type Orders, quicAlpn, webTransportAlpn } from './orders.ts'
import { Peers } from './peers.ts'

const lines = linesOf(Deno.stdin.readable)
const orders: Orders = JSON.parse((await lines.next()).value ?? '')

const endpoint = new Deno.QuicEndpoint({ hostname: orders.hostname, port: orders.port })
const listener = endpoint.listen({
  ...{ key: orders.key, cert: orders.cert, alpnProtocols: [webTransportAlpn, quicAlpn] },
  ...{ keepAliveInterval: 5_000, maxIdleTimeout: 15_000 },
  // WebTransport's session and our stream; the control streams of HTTP/3 and of its header compression.
  ...{ maxConcurrentBidirectionalStreams: 2, maxConcurrentUnidirectionalStreams: 3 },
})

void listen(new Peers(orders.limits, orders.socket))
const listening: Listening = { port: endpoint.addr.port }
await Deno.stdout.writable.getWriter().write(new TextEncoder().encode(`${JSON.stringify(listening)}\n`))

for await (const _ of lines);
Deno.exit()

async function listen(peers: Peers): Promise<void> {
  for (;;) void peers.serve(await listener.incoming())
}
