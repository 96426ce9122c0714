import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { echo, startQuic } from '../packages/gateway/src/testing/quic-service.ts'
import type { Arrival } from '../packages/gateway/src/transports/arrival.ts'
import { cleanup } from '../packages/server/src/testing/cleanup.ts'
import { openBrowser } from './support/browser.ts'

/** The browser interfaces that the pages use. */
declare class WebTransport {
  constructor(url: string, options: { serverCertificateHashes: { algorithm: string; value: Uint8Array }[] })
  readonly ready: Promise<void>
  readonly closed: Promise<unknown>
  readonly datagrams: { readonly writable: WritableStream<Uint8Array> }
  createBidirectionalStream(): Promise<{
    readonly readable: ReadableStream<Uint8Array>
    readonly writable: WritableStream<Uint8Array>
  }>
  close(): void
}

interface Visit {
  readonly url: string
  readonly hash: string
  readonly bytes: number
}

/** An empty page on http://localhost, which counts as a secure context. */
async function openPage() {
  const server = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end('<p>a page'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup.defer(() => void server.close())
  const address = server.address()
  assert.ok(typeof address === 'object' && address)
  const page = await (await openBrowser()).newPage()
  await page.goto(`http://localhost:${address.port}/`)
  return page
}

const page = await openPage()

/** Sends a pattern over one stream and reads it back to the end; returns the error if there is one. */
const visit = (of: Visit) =>
  page.evaluate(async ({ url, hash, bytes }) => {
    const value = Uint8Array.from(atob(hash), char => char.charCodeAt(0))
    const session = new WebTransport(url, { serverCertificateHashes: [{ algorithm: 'sha-256', value }] })
    session.closed.catch(() => {})
    try {
      await session.ready
      const { readable, writable } = await session.createBidirectionalStream()
      const sent = Uint8Array.from({ length: bytes }, (_, at) => (at * 31) % 251)
      const writer = writable.getWriter()
      void writer.write(sent).catch(() => {})
      void writer.close().catch(() => {})
      let received = 0
      let isSame = true
      const reader = readable.getReader()
      for (let read = await reader.read(); !read.done; read = await reader.read())
        for (const byte of read.value) isSame &&= byte === sent[received++]
      session.close()
      return { received, isSame }
    } catch (error) {
      return String(error)
    }
  }, of)

const arrivals: Arrival[] = []
const { port, certificates } = await startQuic({
  welcome: arrival => {
    arrivals.push(arrival)
    echo(arrival)
  },
})
const hash = certificates.current.hashBase64
const live = `https://127.0.0.1:${port}/live`

test('a browser connects over WebTransport with nothing but the hash', async () => {
  assert.deepEqual(await visit({ url: live, hash, bytes: 3_000_000 }), { received: 3_000_000, isSame: true })
  const arrival = arrivals.at(-1)
  assert.equal(arrival?.transport, 'webtransport')
  assert.equal(arrival.remoteAddress, '127.0.0.1')
  await waitFor(async () => arrival.stream.destroyed)
})

test('a browser with another hash is refused', async () => {
  const before = arrivals.length
  const other = Buffer.alloc(32, 7).toString('base64')
  assert.match(String(await visit({ url: live, hash: other, bytes: 10 })), /Opening handshake failed/)
  assert.equal(arrivals.length, before)
})

test('a browser is accepted only at /live', async () => {
  const before = arrivals.length
  const url = `https://127.0.0.1:${port}/elsewhere`
  assert.match(String(await visit({ url, hash, bytes: 10 })), /Error/)
  assert.equal(arrivals.length, before)
  assert.deepEqual(await visit({ url: live, hash, bytes: 10 }), { received: 10, isSame: true })
})

test('additional streams and datagrams of a browser have no effect', async () => {
  const before = arrivals.length
  const answered = await page.evaluate(
    async ({ url, hash }) => {
      const value = Uint8Array.from(atob(hash), char => char.charCodeAt(0))
      const session = new WebTransport(url, { serverCertificateHashes: [{ algorithm: 'sha-256', value }] })
      session.closed.catch(() => {})
      await session.ready
      const first = await session.createBidirectionalStream()
      const ask = first.writable.getWriter()
      await ask.write(new Uint8Array([1]))
      const datagrams = session.datagrams.writable.getWriter()
      for (let sent = 0; sent < 100; sent++) await datagrams.write(new Uint8Array(1000))
      // The transport grants no further stream.
      void session.createBidirectionalStream().catch(() => {})
      await ask.write(new Uint8Array([2]))
      const reader = first.readable.getReader()
      const bytes: number[] = []
      while (bytes.length < 2) bytes.push(...((await reader.read()).value ?? []))
      session.close()
      return bytes
    },
    { url: live, hash },
  )
  assert.deepEqual(answered, [1, 2])
  assert.equal(arrivals.length, before + 1)
})

test('a page that vanishes is dropped after a timeout, and no other is affected', async () => {
  const before: Arrival[] = []
  const service = await startQuic({
    limits: { silenceMs: 15_000 },
    welcome: arrival => {
      before.push(arrival)
      echo(arrival)
    },
  })
  const { pids } = service.listener
  const to = { url: `https://127.0.0.1:${service.port}/live`, hash: service.certificates.current.hashBase64 }
  await page.evaluate(async ({ url, hash }) => {
    const value = Uint8Array.from(atob(hash), char => char.charCodeAt(0))
    const session = new WebTransport(url, { serverCertificateHashes: [{ algorithm: 'sha-256', value }] })
    session.closed.catch(() => {})
    await session.ready
    const { readable, writable } = await session.createBidirectionalStream()
    await writable.getWriter().write(new Uint8Array([1]))
    await readable.getReader().read()
    session.close()
  }, to)
  await waitFor(async () => before.length === 1 && before.every(({ stream }) => stream.destroyed))
  assert.deepEqual(await visit({ ...to, bytes: 10 }), { received: 10, isSame: true })
  assert.deepEqual(service.listener.pids, pids)
})
