import type { Duplex } from 'node:stream'
import type { TestContext } from 'node:test'
import type { Arrival } from '../../arrival.ts'
import { connectKcp, type KcpTarget } from '../client.ts'
import { KcpListener, type KcpListenerOptions } from '../listener.ts'
import { testCertificate } from './certificate.ts'

export const testListenerCertificate = await testCertificate()

export interface TestListener {
  readonly listener: KcpListener
  readonly arrivals: Arrival[]
  /** Connects with the right hash and directly to the listener, unless told otherwise. */
  connect(target?: Partial<KcpTarget>): Promise<Duplex>
}

/** A listener on loopback that echoes, unless it is given another `welcome`. */
export async function startListener(
  t: TestContext,
  options: Partial<KcpListenerOptions> = {},
): Promise<TestListener> {
  const arrivals: Arrival[] = []
  const listener = await KcpListener.listen({
    host: '127.0.0.1',
    port: 0,
    certificates: () => [testListenerCertificate],
    welcome: ({ stream }) => stream.pipe(stream),
    ...options,
    ...(options.welcome === undefined && {
      welcome: arrival => {
        arrivals.push(arrival)
        arrival.stream.pipe(arrival.stream)
      },
    }),
  })
  t.after(() => listener.close())
  return {
    listener,
    arrivals,
    async connect(target) {
      const stream = await connectKcp({
        host: '127.0.0.1',
        port: listener.port,
        certificateHashBase64: testListenerCertificate.hash,
        ...target,
      })
      stream.on('error', () => {})
      t.after(() => stream.destroy())
      return stream
    },
  }
}
