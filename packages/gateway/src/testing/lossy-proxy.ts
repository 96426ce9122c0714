import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { after } from 'node:test'

export interface LossyProxyOptions {
  /** The UDP port on loopback that it forwards to. */
  readonly port: number
  /** How many of ten datagrams are lost in each direction. */
  readonly lostOfTen?: number
  /** The delay in each direction. */
  readonly delayMs?: number
  readonly seed?: number
}

export interface LossyProxy {
  readonly port: number
  readonly carried: number
  readonly lost: number
}

/** A UDP proxy on loopback that delays datagrams and drops some of them. The seed decides which. */
export async function startLossyProxy(options: LossyProxyOptions): Promise<LossyProxy> {
  const { port, lostOfTen = 1, delayMs = 40, seed = 1 } = options
  const front = await bind()
  const backs = new Map<number, Socket>()
  const isLost = chance(seed, lostOfTen / 10)
  const timers = new Set<NodeJS.Timeout>()
  const counters = { port: front.address().port, carried: 0, lost: 0 }
  let isClosed = false

  const pass = (send: () => void) => {
    if (isLost()) {
      counters.lost++
      return
    }
    counters.carried++
    const timer = setTimeout(() => {
      timers.delete(timer)
      if (!isClosed) send()
    }, delayMs)
    timers.add(timer)
  }
  front.on('message', (bytes, from) => {
    let back = backs.get(from.port)
    if (!back) {
      back = createSocket('udp4')
      backs.set(from.port, back)
      back.on('message', answer => pass(() => front.send(answer, from.port, '127.0.0.1')))
    }
    pass(() => back.send(bytes, port, '127.0.0.1'))
  })
  after(() => {
    isClosed = true
    for (const timer of timers) clearTimeout(timer)
    for (const socket of [front, ...backs.values()]) socket.close()
  })
  return counters
}

async function bind(): Promise<Socket> {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return socket
}

/** Decides by a linear congruential generator, so that a run can be repeated. */
function chance(seed: number, probability: number): () => boolean {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 < probability
  }
}
