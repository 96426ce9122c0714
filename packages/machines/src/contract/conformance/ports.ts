import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { it } from 'node:test'
import type { Capabilities } from '../engine.ts'
import type { Endpoint } from '../machine.ts'
import { fails } from './running.ts'
import type { Inside } from './subject.ts'

async function take(from: Duplex, length: number): Promise<Buffer> {
  const taken: Buffer[] = []
  for (let left = length; left > 0; ) {
    const piece: Buffer | null = from.read()
    if (piece) taken.push(piece)
    left -= piece?.length ?? 0
    if (!piece) await once(from, 'readable')
  }
  return Buffer.concat(taken)
}

const echoServer = (bind: string) =>
  `import socket; s=socket.socket(${bind}); s.listen(); print("up", flush=True); c,_=s.accept()\n` +
  'while d:=c.recv(65536): c.sendall(d)'

/** Tests how programs that listen inside a machine are reached from outside. */
export function ports(context: () => Inside & { readonly capabilities: Capabilities }): void {
  const machine = () => context().machine
  const socket = () => context().guest.paths.join(context().expected.landmarks.temporary, 'echo.sock')
  const cases: [string, () => string, () => Endpoint][] = [
    [
      'a port that listens on the loopback only',
      () => 'socket.AF_INET); s.bind(("127.0.0.1",7001)',
      () => 'tcp:127.0.0.1:7001',
    ],
    ['a unix socket', () => `socket.AF_UNIX); s.bind(${JSON.stringify(socket())}`, () => `unix:${socket()}`],
  ]
  for (const [what, bind, endpoint] of cases) {
    it(`dials ${what}, and closes each direction separately if its capabilities include that`, async () => {
      const server = await machine().exec(context().programs.python(echoServer(bind())))
      const complaint = text(server.stderr)
      const { done } = await server.stdout[Symbol.asyncIterator]().next()
      assert.ok(!done, done ? `the server did not start: ${await complaint}` : '')
      const connection = await machine().dial(endpoint())
      const sent = Buffer.alloc(1_000_000, 'echo')
      if (context().capabilities.halfClose) {
        connection.end(sent)
        assert.ok(sent.equals(await buffer(connection)))
      } else {
        connection.write(sent)
        assert.ok(sent.equals(await take(connection, sent.length)))
        connection.end()
      }
      assert.deepEqual(await server.exited, { code: 0 })
    })
  }

  it('reports that nothing listens, and refuses what is no endpoint', async () => {
    await assert.rejects(machine().dial('tcp:127.0.0.1:7999'), fails('REFUSED'))
    await assert.rejects(machine().dial(`unix:${socket()}.missing`), fails('REFUSED'))
    await assert.rejects(machine().dial('tcp:example:80'), fails('INVALID'))
  })

  it('dials the screen, which greets as RFB if it is a desktop', async () => {
    if (!context().expected.hasRfb) return assert.rejects(machine().dial('screen:rfb'), fails('INVALID'))
    const connection = await machine().dial('screen:rfb')
    const [greeting] = await connection.take(1).toArray()
    assert.match(String(greeting), /^RFB 003\.008\n/)
    connection.destroy()
  })
}
