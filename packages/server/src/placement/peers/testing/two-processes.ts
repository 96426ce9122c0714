import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { clientsBehind } from '@sandglass/mappings'
import Fastify, { type FastifyInstance } from 'fastify'
import pino from 'pino'
import { addAnswers } from '../../../http/answers.ts'
import { addArrivals } from '../../../http/arrivals.ts'
import { passBodiesThrough } from '../../../http/body.ts'
import { addErrors } from '../../../http/errors.ts'
import { requestIdOf } from '../../../http/request-log.ts'
import { cleanup } from '../../../testing/cleanup.ts'
import { Marks } from '../mark.ts'
import { Peers } from '../peers.ts'

const key = Buffer.alloc(32, 7)

/** Makes and verifies marks as the node with this id. */
export function marksOf(nodeId: string): Marks {
  return new Marks([key], nodeId, Date.now)
}

/** A process with the node id `front` that forwards every request to the node `owner`. A test can change the owner's URL. */
export class FrontProcess {
  readonly peers: Peers
  readonly app: FastifyInstance = Fastify({
    genReqId: requestIdOf,
    forceCloseConnections: 'idle',
  })
  ownerUrl: string | undefined
  url = ''

  constructor() {
    this.peers = new Peers({
      marks: marksOf('front'),
      addresses: { find: () => this.ownerUrl },
      clients: clientsBehind([]),
    })
    addArrivals(this.app, this.peers, pino({ enabled: false }))
    addAnswers(this.app)
    addErrors(this.app)
    passBodiesThrough(this.app)
    this.app.all('/*', (request, reply) => this.peers.forward(request, reply, 'owner'))
  }

  static async start(ownerUrl: string): Promise<FrontProcess> {
    const front = new FrontProcess()
    front.ownerUrl = ownerUrl
    front.url = await front.app.listen({ port: 0, host: '127.0.0.1' })
    cleanup.defer(async () => {
      front.peers.endStreams()
      await front.app.close()
      await front.peers.close()
    })
    return front
  }
}

/** Starts a server that stands in for the process with the machines, and responds as the test wants. */
export async function startOwner(
  answer: RequestListener,
  make: (answer: RequestListener) => Server = createServer,
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = make(answer)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  cleanup.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, port: (server.address() as AddressInfo).port }
}
