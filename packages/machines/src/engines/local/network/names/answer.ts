import { type DecodedPacket, decode, encode, type Packet } from 'dns-packet'
import { matchesHost } from './host-patterns.ts'
import type { Found, NamedMachine } from './messages.ts'

/** The addresses of a name, as an upstream resolver gives them. */
export interface Resolved {
  readonly addresses: readonly string[]
  readonly seconds: number
}

export interface Answering {
  readonly machineAt: (address: string) => NamedMachine | undefined
  /** Resolves to undefined if the name does not exist. */
  readonly resolve: (name: string) => Promise<Resolved | undefined>
  /** Lets the machine reach the addresses. Resolves to false if it cannot. */
  readonly open: (machine: string, found: Found) => Promise<boolean>
}

const rcodes = { none: 0, failed: 2, unknown: 3, notImplemented: 4 } as const
/** Recursion was desired, and is available. */
const recursionFlags = 0x0180

/** As many as fit into a datagram of 512 bytes. */
const maxAddresses = 16

/** A changed record is noticed within this time. */
const maxSeconds = 300

/**
 * Answers a query of a machine, or returns undefined if it is not a query. Only names of its list are resolved, only to
 * addresses, and nothing of the query but the name goes to the resolver, so that a list is also a limit on what can be
 * said through names. A name that is not in the list does not exist.
 */
export async function answerQuery(
  bytes: Buffer,
  from: string,
  answering: Answering,
): Promise<Buffer | undefined> {
  const query = readQuery(bytes)
  const [question, ...others] = query?.questions ?? []
  if (!query || !question) return undefined
  const reply = (rcode: number, answers: Packet['answers'] = []) =>
    encode({
      type: 'response',
      id: query.id,
      flags: recursionFlags | rcode,
      questions: [question],
      answers,
    })
  const isStandard = (((query.flags ?? 0) >> 11) & 15) === 0
  if (others.length > 0 || !isStandard) return reply(rcodes.notImplemented)
  const name = question.name.toLowerCase()
  const hosts = answering.machineAt(from)?.hosts.filter(({ host }) => matchesHost(host, name)) ?? []
  if (hosts.length === 0) return reply(rcodes.unknown)
  // Machines have no IPv6, and nothing else is resolved.
  if (question.type !== 'A') return reply(rcodes.none)
  try {
    const resolved = await answering.resolve(name)
    if (!resolved) return reply(rcodes.unknown)
    const addresses = resolved.addresses.slice(0, maxAddresses)
    if (addresses.length === 0) return reply(rcodes.none)
    const { seconds } = resolved
    const rules = hosts.map(({ rule }) => rule)
    if (!(await answering.open(from, { rules, addresses, seconds }))) return reply(rcodes.failed)
    const ttl = Math.min(seconds, maxSeconds)
    return reply(
      rcodes.none,
      addresses.map(data => ({ type: 'A' as const, name: question.name, ttl, data })),
    )
  } catch {
    return reply(rcodes.failed)
  }
}

function readQuery(bytes: Buffer): DecodedPacket | undefined {
  try {
    const packet = decode(bytes)
    return packet.type === 'query' ? packet : undefined
  } catch {
    return undefined
  }
}
