import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { describe, it } from 'node:test'
import {
  getInputFocus,
  getProperty,
  readInputFocus,
  readProperty,
  X11Error,
  X11LimitError,
} from '@sandglass/wire/x11'
import fc from 'fast-check'
import { X11Connection } from './x11-connection.ts'

/** The greeting of a server with one screen of 1280x720 and root window 7. */
function setup(): Buffer {
  const body = Buffer.alloc(32 + 40)
  body.writeUInt32LE(0x400000, 4)
  body.writeUInt8(8, 26)
  body.writeUInt8(255, 27)
  body.writeUInt32LE(7, 32)
  body.writeUInt16LE(1280, 52)
  body.writeUInt16LE(720, 54)
  const head = Buffer.from([1, 0, 11, 0, 0, 0, body.length / 4, 0])
  return Buffer.concat([head, body])
}

function reply(sequence: number, word: number): Buffer {
  const bytes = Buffer.alloc(32)
  bytes.writeUInt8(1, 0)
  bytes.writeUInt16LE(sequence, 2)
  bytes.writeUInt32LE(word, 8)
  return bytes
}

/** The time of its limits stands still, so that a slow box finds them exhausted as well. */
async function connect() {
  const [near, far] = duplexPair()
  far.on('error', () => {}).resume()
  far.write(setup())
  return { connection: await X11Connection.open(near, () => 0), far }
}

describe('a connection to an X server', () => {
  it('reads the setup, and matches replies to requests', async () => {
    const { connection, far } = await connect()
    assert.deepEqual(connection.setup, {
      root: 7,
      resourceIdBase: 0x400000,
      width: 1280,
      height: 720,
      minKeycode: 8,
      maxKeycode: 255,
    })
    const answers = Promise.all([1, 2].map(() => connection.ask(getInputFocus(), readInputFocus)))
    far.write(Buffer.concat([reply(1, 11), reply(2, 22)]))
    assert.deepEqual(await answers, [11, 22])
  })

  it('rejects a request that the server refuses, and stays open', async () => {
    const { connection, far } = await connect()
    const refused = connection.ask(getInputFocus(), readInputFocus)
    const answered = connection.ask(getInputFocus(), readInputFocus)
    const error = Buffer.alloc(32)
    error.writeUInt8(3, 1)
    error.writeUInt16LE(1, 2)
    far.write(error)
    far.write(reply(2, 5))
    await assert.rejects(refused, /refused a request \(error 3\)/)
    assert.equal(await answered, 5)
  })

  it('fails with the reason if the server refuses the connection', async () => {
    const [near, far] = duplexPair()
    far.on('error', () => {}).resume()
    far.write(Buffer.from([0, 3, 11, 0, 0, 0, 1, 0, ...Buffer.from('no!\0')]))
    await assert.rejects(X11Connection.open(near), /refused the connection: no!/)
  })

  it('rejects all pending requests if the server disconnects or sends an unexpected reply', async () => {
    for (const end of [
      (far: NodeJS.WritableStream) => far.end(),
      (far: NodeJS.WritableStream) => far.write(reply(9, 1)),
    ]) {
      const { connection, far } = await connect()
      const asked = connection.ask(getInputFocus(), readInputFocus)
      end(far)
      await assert.rejects(asked, { name: 'X11Error' })
      assert.equal(connection.isOpen, false)
    }
  })

  it('survives arbitrary input, or closes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 }), async chunks => {
        const { connection, far } = await connect()
        const asked = connection.ask(getInputFocus(), readInputFocus).catch((error: Error) => error)
        for (const chunk of chunks) far.write(chunk)
        far.end()
        const answer = await asked
        assert.ok(typeof answer === 'number' || answer instanceof X11Error)
      }),
      { numRuns: 300 },
    )
  })

  it('refuses a message that is too long', async () => {
    const { connection, far } = await connect()
    const asked = connection.ask(getInputFocus(), readInputFocus)
    const huge = reply(1, 0)
    huge.writeUInt32LE(0x4000_0000, 4)
    far.write(huge)
    await assert.rejects(asked, /bytes exceeds the limit/)
  })

  it('is closed if the server floods it with events or errors', async () => {
    for (const kind of [0, 2, 22, 0x80 | 33]) {
      const { connection, far } = await connect()
      let events = 0
      connection.listen(() => void events++)
      const asked = connection.ask(getInputFocus(), readInputFocus)
      asked.catch(() => {})
      const many = Buffer.alloc(32 * 1000)
      for (let at = 0; at < many.length; at += 32) many[at] = kind
      for (let round = 0; round < 100; round++) far.write(many)
      assert.ok((await connection.closed) instanceof X11LimitError)
      await assert.rejects(asked, /more than 20000 messages/)
      assert.ok(events <= 20_000)
    }
  })

  it('is closed if the server does not read', async () => {
    const [near, far] = duplexPair()
    far.on('error', () => {}).write(setup())
    const connection = await X11Connection.open(near)
    assert.throws(() => {
      for (let sent = 0; sent < 100; sent++) {
        connection.send(new Uint8Array(64 * 1024))
        connection.ask(getInputFocus(), readInputFocus).catch(() => {})
      }
    }, X11LimitError)
    assert.ok((await connection.closed) instanceof X11LimitError)
  })

  it('reads no more of a property than it requested', async () => {
    const { connection, far } = await connect()
    const property = connection.ask(getProperty(7, 1), readProperty)
    const long = Buffer.alloc(32 + 4 * 10_000)
    long.writeUInt8(1, 0)
    long.writeUInt8(32, 1)
    long.writeUInt16LE(1, 2)
    long.writeUInt32LE(10_000, 4)
    long.writeUInt32LE(6, 8)
    long.writeUInt32LE(0xffffffff, 16)
    far.write(long)
    assert.equal((await property)?.length, 64)
  })
})
