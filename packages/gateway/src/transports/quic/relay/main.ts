/**
 * The relay, which runs in Deno: it accepts WebTransport and QUIC on a UDP port and connects each peer to the service
 * over a unix socket. It does not interpret what it relays. It exits when its standard input closes or, once told to
 * retire, with its last peer.
 */
import { delay } from './delay.ts'
import { linesOf } from './lines.ts'
import { Peers } from './peers.ts'
import { quicAlpn, type RelayConfig, retire, webTransportAlpn } from './relay-config.ts'

/** Time for the close frames to reach the peers, so that they need not wait for a timeout. */
const closeDelayMs = 200

const lines = linesOf(Deno.stdin.readable)
const config: RelayConfig = JSON.parse((await lines.next()).value ?? '')
const { silenceMs } = config.limits

const endpoint = new Deno.QuicEndpoint({ hostname: config.hostname, port: config.port })
const listener = endpoint.listen({
  key: config.key,
  cert: config.cert,
  alpnProtocols: [webTransportAlpn, quicAlpn],
  keepAliveInterval: silenceMs / 3,
  maxIdleTimeout: silenceMs,
  // BBR does not mistake wireless loss for congestion. At 10% loss it transfers thirty times as much as CUBIC.
  congestionControl: 'low-latency',
  // Bidirectional: the WebTransport session and our stream. Unidirectional: the control streams of HTTP/3 and of its
  // header compression.
  maxConcurrentBidirectionalStreams: 2,
  maxConcurrentUnidirectionalStreams: 3,
})

const peers = new Peers(config.limits)
let isEnding = false
listen().catch(error => {
  if (!isEnding) throw error
})
console.log(`listening at ${endpoint.addr.port}`)

for await (const line of lines) if (line === retire) void peers.retire().then(() => Deno.exit())
isEnding = true
const isAlone = peers.count === 0
endpoint.close({ closeCode: 0, reason: 'the service ends' })
if (!isAlone) await delay(closeDelayMs)
Deno.exit()

async function listen(): Promise<void> {
  for (;;) void peers.serve(await listener.incoming())
}
