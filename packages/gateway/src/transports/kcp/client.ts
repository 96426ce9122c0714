import { createHash } from 'node:crypto'
import type { Socket } from 'node:dgram'
import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'
import { decodeHandshake, encodeHandshake } from './handshake.ts'
import { KcpStream } from './kcp-stream.ts'
import { performHandshake } from './perform-handshake.ts'
import { clientWindows, type Deadlines, deadlines } from './settings.ts'
import { TimerQueue } from './timer-queue.ts'
import { certificateNameBytes } from './tls-contexts.ts'
import { lost, udpSocket } from './udp.ts'

export interface KcpTarget {
  readonly host: string
  readonly port: number
  /**
   * The SHA-256 of the certificate's DER in base64. Only this certificate is accepted, and no certificate authority
   * is consulted.
   */
  readonly certificateHashBase64: string
  readonly signal?: AbortSignal
  readonly deadlines?: Partial<Deadlines>
}

/**
 * Connects to a KcpListener. The stream is encrypted and its peer has proven to hold the certificate. Ending the
 * stream ends the conversation.
 */
export async function connectKcp(target: KcpTarget): Promise<Duplex> {
  const name = Buffer.from(target.certificateHashBase64, 'base64').subarray(0, certificateNameBytes)
  const times = { ...deadlines, ...target.deadlines }
  const inTime = AbortSignal.timeout(times.handshakeMs)
  const signal = target.signal ? AbortSignal.any([target.signal, inTime]) : inTime
  signal.throwIfAborted()
  const socket = await open(target)
  const conv = await performHandshake(socket, name, signal).catch(error => {
    socket.close()
    throw error
  })
  return await secure(converse(socket, conv, times), target.certificateHashBase64, signal)
}

async function open({ host, port }: KcpTarget): Promise<Socket> {
  const { address } = await lookup(host)
  const socket = udpSocket(address)
  try {
    await new Promise<void>((done, failed) => {
      socket.once('error', failed)
      socket.connect(port, address, done)
    })
    return socket.removeAllListeners('error')
  } catch (error) {
    socket.close()
    throw error
  }
}

/** A conversation over a connected socket, which closes with it. */
function converse(socket: Socket, conv: number, times: Deadlines): KcpStream {
  const timerQueue = new TimerQueue()
  const send = (datagram: Uint8Array) => socket.send(datagram, lost)
  const stream = new KcpStream({ conv, send, timerQueue, deadlines: times, windows: clientWindows })
  socket.on('message', datagram => {
    const message = decodeHandshake(datagram)
    if (!message) stream.receive(datagram)
    else if (message.kind === 'reset' && message.conv === conv) stream.peerLeft()
  })
  // Nothing listens at the port any more.
  socket.on('error', error => stream.destroy(error))
  stream.on('error', () => {})
  stream.once('close', () => socket.send(encodeHandshake({ kind: 'reset', conv }), () => socket.close()))
  return stream
}

async function secure(stream: KcpStream, hash: string, signal: AbortSignal): Promise<TLSSocket> {
  const socket = connect({ socket: stream, minVersion: 'TLSv1.3', rejectUnauthorized: false })
  socket.once('end', () => socket.end())
  stream.once('close', () => socket.destroy())
  socket.once('close', () => stream.destroy())
  try {
    await once(socket, 'secureConnect', { signal })
    const found = createHash('sha256').update(socket.getPeerCertificate().raw).digest('base64')
    if (found !== hash) throw new Error(`the certificate's hash is ${found}, and ${hash} was expected`)
    return socket
  } catch (error) {
    socket.on('error', () => {})
    socket.destroy()
    throw error
  }
}
