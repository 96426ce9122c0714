import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { waitFor } from '../../../../testing/index.ts'
import { IncusClient } from '../index.ts'
import { FakeIncus } from '../testing/fake-incus.ts'

async function running(t: TestContext, pingEveryMs = 5_000) {
  const fake = await FakeIncus.onSocket()
  t.after(() => fake.close())
  const incus = new IncusClient({ socket: fake.socket }, { pingEveryMs })
  t.after(() => incus.close())
  const operation = fake.offerExec('a')
  const session = await incus.exec('a', ['cat'])
  t.after(() => session.close())
  await waitFor(() => fake.webSockets.size === 4)
  const channel = (secret: string) => {
    const webSocket = fake.webSockets.get(secret)
    assert.ok(webSocket)
    return webSocket
  }
  return { fake, operation, session, channel }
}

test('both directions can end alone, and the exit code and the errors are known at the end', async t => {
  const { fake, operation, session, channel } = await running(t)
  const input: string[] = []
  channel('fd0').on('message', (data, isBinary) => input.push(isBinary ? String(data) : 'end'))
  session.stream.end('question')
  await waitFor(() => input.includes('end'))
  assert.deepEqual(input, ['question', 'end'])
  channel('fd2').send(Buffer.from(`${'-'.repeat(5000)}warning`))
  await waitFor(() => session.errors.endsWith('warning'))
  assert.equal(session.errors.length, 4096)
  channel('fd1').send(Buffer.from('answer'))
  channel('fd1').send('')
  const output = await session.stream.toArray()
  assert.equal(Buffer.concat(output).toString(), 'answer')
  fake.end(operation, 200, '', { return: 3 })
  for (const secret of ['control', 'fd0', 'fd1', 'fd2']) channel(secret).terminate()
  assert.equal(await session.exited, 3)
})

test('a program that is not read from is slowed down, and one that does not read slows us down', async t => {
  const { session, channel } = await running(t, 300)
  const output = channel('fd1')
  let sent = 0
  for (; sent < 256; sent++) output.send(Buffer.alloc(65_536))
  await waitFor(() => session.stream.readableLength > 0)
  assert.ok(output.bufferedAmount > 0)
  channel('fd0').pause()
  let written = 0
  while (written < 256 && session.stream.write(Buffer.alloc(65_536))) written++
  assert.ok(written < 256)
  let received = 0
  session.stream.on('data', (data: Buffer) => {
    received += data.length
  })
  await waitFor(() => received === sent * 65_536)
  channel('fd0').resume()
  await waitFor(() => session.stream.writableLength === 0)
})

for (const [how, lose] of [
  ['is cut', (fake: FakeIncus) => fake.cut()],
  [
    'falls silent',
    (fake: FakeIncus) => {
      fake.isSilent = true
    },
  ],
] as const)
  test(`the stream breaks when the connection ${how}`, async t => {
    const { fake, session } = await running(t, 300)
    const failed = new Promise<unknown>(resolve => session.stream.once('error', resolve))
    lose(fake)
    const error = await failed
    assert.ok(error instanceof Error && 'code' in error && error.code === 'UNREACHABLE')
    assert.equal(await session.exited, undefined)
  })

test('it is known for how long nothing has come back of what was sent, unless nobody reads', async t => {
  const { session, channel } = await running(t)
  session.stream.resume()
  assert.equal(session.unansweredMs, 0)
  session.stream.write('a question')
  await waitFor(() => session.unansweredMs > 0)
  channel('fd1').send(Buffer.from('an answer'))
  await waitFor(() => session.unansweredMs === 0)
  session.stream.write('another')
  await waitFor(() => session.unansweredMs > 50)
  session.excuse()
  assert.ok(session.unansweredMs < 50)
})

test('closing ends the control connection, upon which Incus kills the program', async t => {
  const { session, channel } = await running(t)
  const ended = new Promise(resolve => channel('control').once('close', resolve))
  session.close()
  await ended
  assert.equal(await session.exited, undefined)
})
