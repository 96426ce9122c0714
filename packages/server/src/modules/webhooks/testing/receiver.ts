import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import { cleanup } from '../../../testing/cleanup.ts'

/** A request that an endpoint received. */
export interface Received {
  /** The webhook-id. */
  readonly id: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the bodies that it reads.
  readonly body: any
}

/** Answers a request. It may never end the response. */
export type Answering = (response: ServerResponse, received: Received) => void | Promise<void>

const accept: Answering = response => void response.writeHead(204).end()

/** An endpoint on loopback that records what it receives. */
export class Receiver {
  readonly got: Received[] = []
  /** How it answers from now on. */
  answer: Answering
  readonly #port: number

  private constructor(port: number, answer: Answering) {
    this.#port = port
    this.answer = answer
  }

  static async start(answer: Answering = accept): Promise<Receiver> {
    const server = createServer(async (request, response) => {
      const body = await text(request).catch(() => undefined)
      if (body === undefined) return
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      )
      const received = {
        id: headers['webhook-id'] ?? '',
        path: request.url ?? '',
        headers,
        text: body,
        body: JSON.parse(body),
      }
      receiver.got.push(received)
      await receiver.answer(response, received)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    cleanup.defer(() => {
      server.closeAllConnections()
      server.close()
    })
    const receiver = new Receiver((server.address() as AddressInfo).port, answer)
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook?token=hush`
  }

  get ids(): string[] {
    return this.got.map(({ id }) => id)
  }

  /** The types of the messages, in the order of their arrival. */
  get types(): string[] {
    return this.got.map(({ body }) => body.type)
  }
}

/** Verifies a request as a receiver would, and throws if the signature is wrong. */
export function verify(secret: string, { text: body, headers }: Received): void {
  new Webhook(secret).verify(body, headers)
}
