import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Certificates } from '../certificate/certificates.ts'
import type { Arrival } from '../transports/arrival.ts'
import { connectQuic, type QuicServer } from '../transports/quic/connect-quic.ts'
import { QuicListener, type QuicListenerOptions } from '../transports/quic/quic-listener.ts'

export interface QuicService {
  readonly listener: QuicListener
  readonly certificates: Certificates
  readonly warnings: readonly string[]
  readonly port: number
  connect(more?: Partial<QuicServer>): ReturnType<typeof connectQuic>
}

export interface QuicServiceOptions extends Partial<Pick<QuicListenerOptions, 'limits'>> {
  readonly welcome?: (arrival: Arrival) => void
  readonly now?: () => number
}

export const echo = ({ stream }: Arrival) => void stream.pipe(stream)

/** A listener on loopback that echoes unless told otherwise. It is closed after the tests of the file. */
export async function startQuic({
  welcome = echo,
  now,
  limits,
}: QuicServiceOptions = {}): Promise<QuicService> {
  const stack = new AsyncDisposableStack()
  after(() => stack.disposeAsync())
  const data = await mkdtemp(join(tmpdir(), 'sandglass-quic-'))
  stack.defer(() => rm(data, { recursive: true }))
  const certificates = await Certificates.open({ folder: join(data, 'certificates'), ...(now && { now }) })
  stack.defer(() => certificates.close())
  const warnings: string[] = []
  const started = await QuicListener.start({
    certificates,
    welcome,
    folder: join(data, 'quic'),
    host: '127.0.0.1',
    ports: [0, 0],
    ...(limits && { limits }),
    reports: { warn: message => warnings.push(message) },
  })
  assert.ok(started.listener, JSON.stringify(started))
  const { listener } = started
  stack.defer(() => listener.close())
  const port = listener.port
  assert.ok(port)
  return {
    listener,
    certificates,
    warnings,
    port,
    connect: more =>
      connectQuic({
        host: '127.0.0.1',
        port,
        certificateHashBase64: certificates.current.hashBase64,
        signal: AbortSignal.timeout(120_000),
        ...more,
      }),
  }
}
