import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:dgram'
import { decodeHandshake, encodeHandshake, type HandshakeMessage, nonceBytes } from './handshake.ts'

const firstWaitMs = 200
const maxWaitMs = 1000

const refusals = {
  full: 'the listener has reached its max number of conversations',
  unknown: 'the listener has no certificate with this hash (any more); ask for the current one',
} as const

/**
 * Performs the handshake with the connected listener and returns the number of the conversation. Unanswered messages
 * are repeated until the signal aborts.
 */
export async function performHandshake(
  socket: Socket,
  certificate: Buffer,
  signal: AbortSignal,
): Promise<number> {
  signal.throwIfAborted()
  const nonce = randomBytes(nonceBytes)
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let timer: NodeJS.Timeout | undefined

  const repeat = (message: HandshakeMessage, waitMs = firstWaitMs) => {
    clearTimeout(timer)
    socket.send(encodeHandshake(message))
    timer = setTimeout(() => repeat(message, Math.min(maxWaitMs, waitMs * 1.5)), waitMs)
  }
  const hear = (datagram: Buffer) => {
    const answer = decodeHandshake(datagram)
    if (!answer || answer.kind === 'reset' || !answer.nonce.equals(nonce)) return
    if (answer.kind === 'cookie') repeat({ ...answer, kind: 'join', nonce, certificate })
    else if (answer.kind === 'welcome') resolve(answer.conv)
    else if (answer.kind !== 'refusal') return
    else if (answer.reason === 'stale') repeat({ kind: 'hello', nonce })
    else reject(new Error(refusals[answer.reason]))
  }
  const abort = () => reject(signal.reason)

  socket.on('message', hear)
  socket.on('error', reject)
  signal.addEventListener('abort', abort)
  repeat({ kind: 'hello', nonce })
  return await promise.finally(() => {
    clearTimeout(timer)
    socket.off('message', hear)
    socket.off('error', reject)
    signal.removeEventListener('abort', abort)
  })
}
