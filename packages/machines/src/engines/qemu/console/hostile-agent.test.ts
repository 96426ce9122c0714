import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { consoleGuest } from '../../../guests/console.ts'
import { exec } from './agent/exec.ts'
import { GuestAgent } from './agent/guest-agent.ts'
import { GuestFile } from './files/guest-file.ts'
import { connected } from './test-console.ts'

let folder: string
let server: Server
/** Answers a request; what it returns is sent as it is. */
let answer: (request: { execute: string; id: number }) => string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandglass-hostile-'))
  server = createServer(socket => {
    socket
      .on('error', () => {})
      .on('data', data => {
        for (const line of String(data).trim().split('\n')) socket.write(answer(JSON.parse(line)))
      })
  })
  await new Promise<void>(resolve => server.listen(join(folder, 'socket'), resolve))
})
after(async () => {
  server?.close()
  await rm(folder, { recursive: true, force: true })
})

const agentOf = (pingMs = 60_000, answerMs = 60_000) =>
  new GuestAgent({ connect: () => connected(join(folder, 'socket')), isAwake: async () => true }, true, {
    pingMs,
    answerMs,
  })
const afterPing =
  (then: typeof answer): typeof answer =>
  request =>
    request.execute === 'guest-ping' ? `{"return": {}, "id": ${request.id}}\n` : then(request)
const open = (agent = agentOf()) => agent.with('files', undefined, ask => GuestFile.open(ask, '/x', 'rb'))

test('an agent that never answers is as good as none', async () => {
  answer = () => ''
  await assert.rejects(open(agentOf(50)), { code: 'LACKS_AGENT', message: /so files cannot be used/ })
  const starting = exec(agentOf(50), consoleGuest('linux'), { executable: 'true' })
  await assert.rejects(starting, { code: 'LACKS_AGENT', message: /so processes cannot be used/ })
})

test('an agent that stops answering fails the request', async () => {
  answer = afterPing(() => '')
  await assert.rejects(open(agentOf(60_000, 50)), {
    code: 'MACHINE_FAILED',
    message: /did not answer within 50 ms/,
  })
})

test('the time during which the machine is paused does not count', async () => {
  answer = () => ''
  let checks = 0
  const connect = () => connected(join(folder, 'socket'))
  const agent = new GuestAgent({ connect, isAwake: async () => ++checks > 3 }, true, {
    pingMs: 20,
    answerMs: 20,
  })
  await assert.rejects(open(agent), { code: 'LACKS_AGENT' })
  assert.equal(checks, 4)
})

test('answers that are too long, too many or of the wrong shape are refused', async () => {
  for (const [line, message] of [
    [`{"return": "${'x'.repeat(70_000)}"}\n`, /too long/],
    [`{"return": [${'[],'.repeat(1000)}0]}\n`, /more values/],
    ['no JSON\n', /malformed/],
    ['{"return": {}, "id": 999}\n', /malformed/],
    ['{"return": []}\n', /malformed/],
    ['{"return": {"value": "1"}}\n', /malformed/],
    ['{}\n', /malformed/],
  ] as const) {
    answer = afterPing(() => line)
    await assert.rejects(open(), { code: 'STATE', message })
  }
})

test('a file does not grow by what the agent claims', async () => {
  answer = afterPing(({ execute, id }) => {
    const value =
      execute === 'guest-file-open' ? 7 : { count: 1, 'buf-b64': Buffer.alloc(9).toString('base64') }
    return `${JSON.stringify({ return: value, id })}\n`
  })
  const reading = agentOf().with('files', undefined, async ask =>
    (await GuestFile.open(ask, '/x', 'rb')).read(3),
  )
  await assert.rejects(reading, { code: 'STATE', message: /malformed/ })
})

test('the reason of a refusal decides about the error', async () => {
  answer = afterPing(
    ({ id }) => `${JSON.stringify({ id, error: { class: 'GenericError', desc: 'Permission denied' } })}\n`,
  )
  await assert.rejects(open(), { code: 'DENIED' })
  answer = afterPing(({ id }) => `${JSON.stringify({ id, error: [] })}\n`)
  await assert.rejects(open(), { code: 'MACHINE_FAILED', message: /no reason given/ })
})
