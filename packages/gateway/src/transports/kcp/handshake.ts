import { certificateNameBytes } from './tls-contexts.ts'

/**
 * The datagrams of the handshake and of resets; docs/kcp.md describes them byte by byte. Each begins with the magic,
 * which is never used as a conversation number, and a kind, followed by three zero bytes and the client's eight-byte
 * nonce.
 */
const magic = Buffer.from('SGK1', 'latin1')

const kinds = { hello: 1, cookie: 2, join: 3, welcome: 4, refusal: 5, reset: 6 } as const

export const nonceBytes = 8
export const cookieBytes = 36
/**
 * Requests are padded to this size, so that no response is larger than its request and the listener cannot be used
 * for amplification.
 */
const requestBytes = 64
const replyBytes = 20
const bodyAt = 16

const nameAt = bodyAt + cookieBytes

/** `stale`: the cookie has expired or is not ours. `full`: a limit is reached. `unknown`: no such certificate. */
export type Refusal = 'stale' | 'full' | 'unknown'
const refusals: readonly Refusal[] = ['stale', 'full', 'unknown']

export interface Join {
  readonly kind: 'join'
  readonly nonce: Buffer
  readonly cookie: Buffer
  /** The first bytes of the hash of the certificate that the client pins. */
  readonly certificate: Buffer
}

export type HandshakeMessage =
  | { readonly kind: 'hello'; readonly nonce: Buffer }
  | { readonly kind: 'cookie'; readonly nonce: Buffer; readonly cookie: Buffer }
  | Join
  | { readonly kind: 'welcome'; readonly nonce: Buffer; readonly conv: number }
  | { readonly kind: 'refusal'; readonly nonce: Buffer; readonly reason: Refusal }
  | { readonly kind: 'reset'; readonly conv: number }

/** Conversation number 0 is excluded too, since some programs treat it as absent. */
export const isConv = (value: number): boolean => value !== 0 && value !== magic.readUInt32LE()

export const isHandshake = (datagram: Buffer): boolean => datagram.subarray(0, magic.length).equals(magic)

export function encodeHandshake(message: HandshakeMessage): Buffer {
  const { kind } = message
  const isRequest = kind === 'hello' || kind === 'join'
  const size = isRequest ? requestBytes : kind === 'cookie' ? nameAt : replyBytes
  const datagram = Buffer.alloc(size)
  magic.copy(datagram)
  datagram.writeUInt8(kinds[kind], magic.length)
  if (kind !== 'reset') message.nonce.copy(datagram, 8)
  if (kind === 'cookie' || kind === 'join') message.cookie.copy(datagram, bodyAt)
  if (kind === 'join') message.certificate.copy(datagram, nameAt)
  if (kind === 'welcome' || kind === 'reset') datagram.writeUInt32LE(message.conv, bodyAt)
  if (kind === 'refusal') datagram.writeUInt8(refusals.indexOf(message.reason) + 1, bodyAt)
  return datagram
}

/** Parses a handshake message; returns undefined if the length or content is invalid. */
export function decodeHandshake(datagram: Buffer): HandshakeMessage | undefined {
  if (!isHandshake(datagram) || datagram.length < replyBytes) return
  const kind = datagram.readUInt8(magic.length)
  const nonce = datagram.subarray(8, 8 + nonceBytes)
  const cookie = datagram.subarray(bodyAt, nameAt)
  const { length } = datagram
  if (kind === kinds.hello && length === requestBytes) return { kind: 'hello', nonce }
  if (kind === kinds.join && length === requestBytes) {
    const certificate = datagram.subarray(nameAt, nameAt + certificateNameBytes)
    return { kind: 'join', nonce, cookie, certificate }
  }
  if (kind === kinds.cookie && length === nameAt) return { kind: 'cookie', nonce, cookie }
  if (length !== replyBytes) return
  const conv = datagram.readUInt32LE(bodyAt)
  if (kind === kinds.welcome && isConv(conv)) return { kind: 'welcome', nonce, conv }
  if (kind === kinds.reset) return { kind: 'reset', conv }
  const reason = refusals[datagram.readUInt8(bodyAt) - 1]
  if (kind === kinds.refusal && reason) return { kind: 'refusal', nonce, reason }
  return
}
