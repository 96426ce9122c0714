import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Duplex } from 'node:stream'
import { finished } from 'node:stream/promises'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { waitFor } from '../testing/wait-for.ts'
import { TestMachine } from './testing/line.ts'
import { openers, type TestOpener } from './testing/openers.ts'

const noise = randomBytes(3_000_000)
/** Different bytes for each stream and direction, of different lengths. */
const bytesOf = (id: number) => noise.subarray(id * 1000, id * 1000 + ((id * 7919) % 1_500_000))
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

for (const [language, start] of Object.entries(openers))
  describe(`streams that ${language} opens and Python accepts`, { timeout: 600_000 }, () => {
    let machine: TestMachine
    let opener: TestOpener

    beforeEach(async () => {
      machine = await TestMachine.start()
      opener = await start(machine)
    })
    afterEach(async () => {
      await opener?.dispose()
      await machine?.dispose()
    })

    it('carry random data in both directions at the same time', async () => {
      const received = new Map<number, string>()
      await machine.serve('agent', async connection => {
        connection.once('data', name => connection.end(bytesOf(name.readUInt32BE(0) + 500)))
        const request = await collect(connection)
        received.set(request.readUInt32BE(0), hashOf(request))
      })
      const ids = Array.from({ length: 60 }, (_, id) => id)
      const requests = ids.map(id => Buffer.concat([Uint8Array.of(0, 0, 0, id), bytesOf(id)]))
      await Promise.all(
        requests.map(async (request, id) => {
          const stream = await opener.open('agent')
          stream.end(request)
          assert.equal(hashOf(await collect(stream)), hashOf(bytesOf(id + 500)), `the answer of ${id}`)
        }),
      )
      await waitFor(() => received.size === ids.length)
      for (const [id, request] of requests.entries())
        assert.equal(received.get(id), hashOf(request), `the request of ${id}`)
      await waitFor(() => machine.openConnections === 0)
    })

    it('end each direction alone', async () => {
      await machine.serve('agent', async connection => {
        const request = String(await collect(connection))
        connection.end(`${request} and an answer`)
      })
      const asking = await opener.open('agent')
      asking.end('a request')
      assert.equal(String(await collect(asking)), 'a request and an answer')
      const heard = Promise.withResolvers<string>()
      await machine.serve('rfb', async connection => {
        connection.end('a banner')
        heard.resolve(String(await collect(connection)))
      })
      const listening = await opener.open('rfb')
      assert.equal(String(await collect(listening)), 'a banner')
      listening.end('after its end')
      assert.equal(await heard.promise, 'after its end')
    })

    it('end when either side breaks off', async () => {
      await machine.serve('agent', connection => connection.once('data', () => connection.destroy()))
      const stream = await opener.open('agent')
      stream.on('error', () => {})
      stream.resume()
      const closed = once(stream, 'end').catch(() => {})
      stream.write('something')
      await closed
      stream.destroy()
      const other = Promise.withResolvers<void>()
      await machine.serve('rfb', connection => {
        connection.resume()
        connection.write('hello')
        finished(connection).then(other.resolve, () => other.resolve())
        connection.once('end', () => connection.destroy())
      })
      const broken = await opener.open('rfb')
      await once(broken, 'readable')
      broken.destroy()
      await other.promise
      await waitFor(() => machine.openConnections === 0)
    })

    it('hold back who sends to a consumer that does not read, while others go on', async () => {
      const stuck = Promise.withResolvers<Duplex>()
      await machine.serve('agent', connection => stuck.resolve(connection.pause()))
      await machine.serve('rfb', connection => connection.pipe(connection))
      const [slow, echo] = [await opener.open('agent'), await opener.open('rfb')]
      const before = await residentBytes(machine.pid)
      const reader = await stuck.promise
      for (const [from, to] of [
        [slow, reader],
        [reader, slow],
      ] as const) {
        const taken = await writeUntilStuck(from, echo)
        assert.ok(taken < 8 * 1024 * 1024, `${taken} bytes are on the way`)
        assert.ok((await residentBytes(machine.pid)) - before < 16 * 1024 * 1024)
        from.end()
        assert.equal((await collect(to)).length, taken)
      }
    })

    it('are 1024 at most', async () => {
      await machine.serve('agent', connection => connection.pipe(connection))
      const streams = await Promise.all(Array.from({ length: 1024 }, () => opener.open('agent')))
      await Promise.all(streams.map(stream => answers(stream)))
      assert.equal(machine.openConnections, 1024)
      if (language === 'TypeScript') await assert.rejects(opener.open('agent'), /1024 streams are open/)
      else assert.equal((await collect(await opener.open('agent'))).length, 0)
      streams[0]?.destroy()
      await waitFor(() => machine.openConnections === 1023)
      await answers(await opener.open('agent'))
    })

    it('are all closed when another opener takes over in the middle of traffic, which then works', async () => {
      await machine.serve('agent', connection => connection.pipe(connection))
      for (let round = 0; round < 5; round++) {
        const streams = await Promise.all(Array.from({ length: 10 }, () => opener.open('agent')))
        for (const stream of streams) {
          stream.on('error', () => {})
          stream.write(noise)
          stream.once('data', () => stream.pause())
        }
        await Promise.all(streams.slice(0, round).map(stream => once(stream, 'data')))
        const before = opener
        opener = await start(machine)
        await before.dispose()
        await waitFor(() => machine.openConnections === 0)
        await answers(await opener.open('agent'))
      }
    })
  })

/** Writes until nothing moves although another stream answers, and returns how much was taken. */
async function writeUntilStuck(stream: Duplex, echo: Duplex): Promise<number> {
  const piece = noise.subarray(0, 100_000)
  let written = 0
  for (;;) {
    if (stream.write(piece)) {
      written += piece.length
      continue
    }
    written += piece.length
    const drained = once(stream, 'drain').then(() => true)
    // Everything that can move has moved after a few answers.
    const answered = (async () => {
      for (let i = 0; i < 20; i++) await answers(echo)
      return false
    })()
    const moved = await Promise.race([drained, answered])
    if (!moved || written > 64 * 1024 * 1024) return written
    await answered
  }
}

/** Reads to the end. To iterate over the stream would destroy it then, although the other direction goes on. */
async function collect(stream: Duplex): Promise<Buffer> {
  const chunks: Buffer[] = []
  stream.on('data', chunk => chunks.push(chunk)).resume()
  await once(stream, 'end')
  return Buffer.concat(chunks)
}

async function answers(stream: Duplex): Promise<void> {
  stream.write('ping')
  assert.equal(String((await once(stream, 'data'))[0]), 'ping')
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024
}
