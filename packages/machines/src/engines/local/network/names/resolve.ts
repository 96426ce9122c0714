import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { decode, encode, type Packet, streamDecode, streamEncode } from 'dns-packet'
import type { Resolved } from './answer.ts'

const port = 53
const timeoutMs = 2500
const recursionDesired = 0x0100
const doesNotExist = 3
const truncated = 0x0200

/** Asks the resolvers in turn for the addresses of a name. Throws if none of them answers. */
export async function resolveName(resolvers: readonly string[], name: string): Promise<Resolved | undefined> {
  let reason: unknown = new Error('there is no resolver')
  for (const resolver of resolvers)
    try {
      return addressesIn(await ask(resolver, name), name)
    } catch (error) {
      reason = error
    }
  throw reason
}

async function ask(resolver: string, name: string): Promise<Packet> {
  const packet = {
    type: 'query' as const,
    id: randomInt(65_536),
    flags: recursionDesired,
    questions: [{ type: 'A' as const, name }],
  }
  const isAnswer = (answer: Packet) =>
    answer.type === 'response' &&
    answer.id === packet.id &&
    answer.questions?.[0]?.name.toLowerCase() === name
  const signal = AbortSignal.timeout(timeoutMs)
  const answer = await askByDatagram(resolver, encode(packet), isAnswer, signal)
  return (answer.flags ?? 0) & truncated
    ? askByStream(resolver, streamEncode(packet), isAnswer, signal)
    : answer
}

type IsAnswer = (answer: Packet) => boolean

/** Each query has a socket of its own, and with it a port that cannot be guessed. */
async function askByDatagram(
  resolver: string,
  query: Buffer,
  isAnswer: IsAnswer,
  signal: AbortSignal,
): Promise<Packet> {
  const socket = createSocket({ type: 'udp4', signal })
  try {
    socket.connect(port, resolver)
    await once(socket, 'connect', { signal })
    socket.send(query)
    for (;;) {
      const [bytes] = await once(socket, 'message', { signal })
      const answer = tryDecode(() => decode(bytes))
      if (answer && isAnswer(answer)) return answer
    }
  } finally {
    if (!signal.aborted) socket.close()
  }
}

async function askByStream(
  resolver: string,
  query: Buffer,
  isAnswer: IsAnswer,
  signal: AbortSignal,
): Promise<Packet> {
  const socket = connect({ port, host: resolver, signal })
  try {
    socket.end(query)
    let bytes = Buffer.of()
    for await (const chunk of socket) {
      bytes = Buffer.concat([bytes, chunk])
      if (bytes.length < 2 || bytes.length < bytes.readUInt16BE(0) + 2) continue
      const answer = tryDecode(() => streamDecode(bytes))
      if (answer && isAnswer(answer)) return answer
      break
    }
    throw new Error('the resolver did not answer the query')
  } finally {
    socket.destroy()
  }
}

function tryDecode(read: () => Packet | null): Packet | undefined {
  try {
    return read() ?? undefined
  } catch {
    return undefined
  }
}

/** Follows the aliases of the name. Undefined if it does not exist. */
export function addressesIn({ flags = 0, answers = [] }: Packet, name: string): Resolved | undefined {
  const rcode = flags & 15
  if (rcode === doesNotExist) return undefined
  if (rcode !== 0) throw new Error(`the resolver answered with code ${rcode}`)
  const aliases = new Map(
    answers.flatMap(one => (one.type === 'CNAME' ? [[one.name.toLowerCase(), one.data.toLowerCase()]] : [])),
  )
  const names = new Set([name])
  // A loop ends at the first name that comes again.
  for (let alias = aliases.get(name); alias && !names.has(alias); alias = aliases.get(alias)) names.add(alias)
  const found = answers.flatMap(one => (one.type === 'A' && names.has(one.name.toLowerCase()) ? [one] : []))
  return {
    addresses: [...new Set(found.map(({ data }) => data))],
    seconds: Math.min(86_400, ...found.map(({ ttl }) => ttl ?? 0)),
  }
}
