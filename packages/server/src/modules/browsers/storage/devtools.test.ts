import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, test } from 'node:test'
import { type WebSocket, WebSocketServer } from 'ws'
import { z } from 'zod'
import { Devtools, DevtoolsError } from './devtools.ts'

const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
await once(server, 'listening')
after(() => server.close())
const address = server.address()
const port = typeof address === 'object' && address ? address.port : 0

/** Connects to a browser that answers each message as given. */
async function open(answer: (webSocket: WebSocket, id: number) => void): Promise<Devtools> {
  server.once('connection', webSocket =>
    webSocket.on('message', data => answer(webSocket, JSON.parse(data.toString()).id)),
  )
  const signal = AbortSignal.timeout(60_000)
  return Devtools.open(connect(port, '127.0.0.1'), `127.0.0.1:${port}`, '/devtools/browser/a', signal)
}

const json = (value: object) => JSON.stringify(value)

test('a command has its own result, whatever events come in between', async () => {
  using devtools = await open((webSocket, id) => {
    webSocket.send(json({ method: 'Page.loaded', params: { at: 1 }, sessionId: 's' }))
    webSocket.send(json({ id: id + 100, result: { name: 'of another' } }))
    webSocket.send(json({ id, result: { name: 'own' } }))
  })
  const events: unknown[] = []
  devtools.onEvent = (...event) => events.push(event)
  assert.deepEqual(await devtools.send(z.object({ name: z.string() }), 'X'), { name: 'own' })
  assert.deepEqual(events, [['Page.loaded', { at: 1 }, 's']])
})

test('a command that is refused fails with the reason, which is short', async () => {
  using devtools = await open((webSocket, id) =>
    webSocket.send(json({ id, error: { message: `no${'!'.repeat(1000)}` } })),
  )
  await assert.rejects(devtools.send(z.unknown(), 'X'), error => {
    assert.ok(error instanceof DevtoolsError)
    assert.equal(error.message.length, 300)
    return true
  })
})

test('what is no message of a browser, or too long for one, ends the connection', async () => {
  for (const text of ['<html>', '[]', json({ id: 'x' }), 'x'.repeat(2_000_000)]) {
    using devtools = await open(webSocket => webSocket.send(text))
    await assert.rejects(devtools.send(z.unknown(), 'X'), { code: 'browser.FAILED' })
  }
})

test('a result of another form is an error of the browser', async () => {
  using devtools = await open((webSocket, id) => webSocket.send(json({ id, result: {} })))
  await assert.rejects(devtools.send(z.object({ name: z.string() }), 'X'), { code: 'browser.FAILED' })
})
