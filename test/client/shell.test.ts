import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import {
  ConflictError,
  type ConnectionError,
  NotFoundError,
  Sandbox,
  Sandglass,
  type Shell,
} from '@sandglass/client'
import { waitFor } from '@sandglass/machines/testing'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { startMachineService } from '../../packages/server/src/testing/test-machines.ts'
import { CutProxy } from '../support/cut-proxy.ts'

const { service } = await startMachineService()
const { credentials } = service.service
const client = new Sandglass(credentials)
const box = cleanup.use(await Sandbox.create({ client }))
const rejections: unknown[] = []
process.on('unhandledRejection', reason => rejections.push(reason))

/** Reads until the output contains a text, or to the end. */
async function read(shell: Shell, until?: string): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const { stdout } of shell) {
    text += decoder.decode(stdout, { stream: true })
    if (until !== undefined && text.includes(until)) break
  }
  return text
}

test('a command is read as it comes, with both outputs and its exit code', async () => {
  await using shell = await box.shell('echo out; echo err >&2; exit 7')
  let [out, err] = ['', '']
  for await (const { stdout, stderr } of shell) {
    out += new TextDecoder().decode(stdout)
    err += new TextDecoder().decode(stderr)
  }
  assert.deepEqual([out, err, await shell.exit], ['out\n', 'err\n', { exitCode: 7, timedOut: false }])
})

test('nothing of a command that belongs to its reader is lost, however much it writes at once', async () => {
  await using shell = await box.shell('head -c 25000000 /dev/zero; exit 3', { ephemeral: true })
  let bytes = 0
  for await (const { stdout, dropped } of shell) {
    assert.equal(dropped, undefined)
    bytes += stdout?.length ?? 0
  }
  assert.deepEqual([bytes, await shell.exit], [25_000_000, { exitCode: 3, timedOut: false }])
})

test('how a command that belongs to its reader ended comes with its output, without another request', async () => {
  const requests: string[] = []
  const observed = new Sandglass({
    ...credentials,
    fetch: (input, init) => {
      requests.push(`${init?.method} ${new URL(String(input)).pathname.split('/').slice(6).join('/')}`)
      return fetch(input, init)
    },
  })
  await using shell = await Sandbox.connect(box.id, { client: observed }).shell('exit 9', { ephemeral: true })
  assert.deepEqual(await shell.exit, { exitCode: 9, timedOut: false })
  assert.deepEqual(requests, ['POST shell/stream'])
})

test('without a command it is a terminal, which is resized and typed into', async () => {
  await using shell = await box.shell(undefined, { rows: 30, cols: 100 })
  await shell.write('stty size\n')
  await read(shell, '30 100')
  await shell.resize(40, 120)
  await shell.write('stty size\n')
  await read(shell, '40 120')
  await shell.end()
  assert.equal((await shell.exit).exitCode, 0)
})

test('writes keep their order, and bytes arrive as they are', async () => {
  await using shell = await box.shell('cat', { cwd: '/tmp' })
  const pieces = Array.from({ length: 300 }, (_, index) => `${index} ü\n`)
  for (const piece of pieces) void shell.write(piece)
  await shell.write(new Uint8Array([0xc3]))
  await shell.write(new Uint8Array([0xa9, 10]))
  await shell.end()
  assert.equal(await read(shell), `${pieces.join('')}é\n`)
})

test('much is piped through a command that waits, with back-pressure in both directions', async () => {
  const total = 24 * 1024 * 1024
  const [sent, received] = [createHash('sha256'), createHash('sha256')]
  const chunk = new Uint8Array(1_000_003).map((_, index) => index * 31)
  let left = total
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = chunk.subarray(0, Math.min(chunk.length, left))
      left -= piece.length
      sent.update(piece)
      controller.enqueue(piece)
      if (left === 0) controller.close()
    },
  })
  await using shell = await box.shell('sleep 1; cat')
  const piped = source.pipeTo(shell.stdin)
  let length = 0
  for await (const { stdout = new Uint8Array(), dropped } of shell) {
    assert.equal(dropped, undefined)
    received.update(stdout)
    length += stdout.length
  }
  await piped
  assert.deepEqual([length, received.digest('hex')], [total, sent.digest('hex')])
  assert.equal((await shell.exit).exitCode, 0)
})

test('a lost connection in the middle of the output is not noticed', async () => {
  const proxy = await CutProxy.start(service.service.url)
  const far = Sandbox.connect(box.id, { ...credentials, url: proxy.url })
  const count = 60
  await using shell = await far.shell(`for i in $(seq ${count}); do echo line $i; sleep 0.05; done; exit 5`)
  let [text, cuts] = ['', 0]
  for await (const { stdout } of shell) {
    text += new TextDecoder().decode(stdout)
    if (text.split('\n').length > (cuts + 1) * 15 && cuts < 3) {
      proxy.cut()
      cuts++
    }
  }
  assert.equal(text, Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join(''))
  assert.deepEqual([cuts, (await shell.exit).exitCode], [3, 5])
})

test('a shell is left without ending it, and attached to by its id with what it wrote before', async () => {
  const first = await box.shell()
  await first.write('kept=before; echo one $kept\n')
  await read(first, 'one before')
  first.detach()
  await assert.rejects(first.write('x'), (error: ConnectionError) => error.code === 'client.CLOSED')
  await using second = box.attachShell(first.id)
  await second.write('echo two $kept\n')
  assert.match(await read(second, 'two before'), /one before.*two before/s)
})

test('a shell is killed with everything that it started', async () => {
  const shell = await box.shell('sleep 700 & sleep 701')
  await waitFor(async () => (await box.run(['pgrep', '-xf', 'sleep 700'])).exitCode === 0)
  await shell.kill()
  assert.equal((await box.run(['pgrep', '-f', '^sleep 70'])).exitCode, 1)
  assert.equal((await shell.exit).exitCode, 137)
  const aborted = new AbortController()
  const other = await box.shell('sleep 702', { signal: aborted.signal })
  const output = read(other)
  aborted.abort(new Error('enough'))
  await assert.rejects(output, /enough/)
  await waitFor(async () => (await box.run(['pgrep', '-xf', 'sleep 702'])).exitCode === 1)
})

test('a command that takes too long is ended, and its exit needs no reader', async () => {
  const late = await box.shell('yes', { maxSeconds: 1 })
  assert.equal((await late.exit).timedOut, true)
  const first = await late[Symbol.asyncIterator]().next()
  assert.ok((first.value?.dropped ?? 0) > 0)
})

test('input for a command that has ended, and what becomes of a shell without its sandbox, are errors', async () => {
  const shell = await box.shell('true')
  await shell.exit
  await assert.rejects(shell.write('x'), (error: ConflictError) => {
    assert.ok(error instanceof ConflictError)
    assert.equal(error.code, 'shell.FINISHED')
    return true
  })
  await using other = await Sandbox.create({ client })
  const lost = await other.shell('sleep 700')
  const output = read(lost)
  void lost.write('never read')
  void lost.exit
  const abandoned = await other.shell('sleep 700')
  void abandoned.exit
  await other.delete()
  await assert.rejects(output)
  await assert.rejects(lost.exit)
  await assert.rejects(lost.write('more'), NotFoundError)
  await lost[Symbol.asyncDispose]()
  assert.deepEqual(rejections, [])
})
