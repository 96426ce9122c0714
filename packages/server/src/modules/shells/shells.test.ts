import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { ListedShell, type ShellPart } from '@sandglass/protocol'
import { commandLines, runningSandbox } from '../../testing/sandbox-programs.ts'
import { byKind, type EventRequest, ShellEvents } from '../../testing/shell-events.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import { retryWithLongerTimeout } from '../../testing/time-enough.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service)
const shell = `${sandbox}/shell`

const stream = (command: string, more: object = {}) =>
  ShellEvents.open(service, `${shell}/stream`, { body: { command, ...more } })
const attach = (id: string, request: EventRequest = {}) =>
  ShellEvents.open(service, `${shell}/${id}/stream`, { method: 'GET', ...request })

async function start(command: string, more: object = {}): Promise<string> {
  const { status, body, text } = await service.post(shell, { command, ...more })
  assert.equal(status, 200, text)
  assert.deepEqual(Object.keys(body), ['sessionId'])
  return body.sessionId
}

interface Read {
  readonly output: ShellPart[]
  readonly isRunning: boolean
  readonly exitCode?: number
  readonly timedOut?: true
  readonly droppedBytes?: number
}

async function read(id: string): Promise<Read> {
  const { status, body, text } = await service.post(`${shell}/${id}/read`)
  assert.equal(status, 200, text)
  const { outputs, ...rest } = body
  assert.deepEqual(
    outputs,
    rest.output.map((output: ShellPart) => ({ output })),
  )
  return rest
}

/** Collects the output of reads until the command has finished. */
async function readAll(id: string): Promise<Read> {
  const output: ShellPart[] = []
  let last: Read | undefined
  await waitFor(async () => {
    last = await read(id)
    output.push(...last.output)
    return !last.isRunning
  })
  return { isRunning: true, ...last, output }
}

const textOf = (parts: readonly ShellPart[], kind: 'stdout' | 'stderr' = 'stdout') =>
  parts.map(part => (part.oneofKind === kind ? Object.values(part)[1] : '')).join('')
const write = (id: string, data: string) => service.post(`${shell}/${id}`, { data })
const codeOf = async (answer: Promise<{ status: number; body: { code?: string } }>) => {
  const { status, body } = await answer
  return [status, body?.code]
}

test('a stream carries the output of a command, reports once that it waits, and ends', async () => {
  const events = await (await stream('echo out; echo err >&2; exit 3')).rest()
  assert.deepEqual(byKind(events), { stdout: 'out\n', stderr: 'err\n', waiting: '', end: '' })
  assert.deepEqual(
    events.slice(-2).map(({ kind }) => kind),
    ['waiting', 'end'],
  )
  assert.equal(events.filter(({ kind }) => kind === 'waiting').length, 1)
})

test('shells are listed with what they run, until they are terminated, also those that have ended', async () => {
  const isOurs = (id: string) => (listed: ListedShell) => listed.id === id
  const list = async () => ListedShell.array().parse((await service.get(shell)).body)
  const running = await start('cat', { useTty: true, workingDirectory: '/usr' })
  const ended = await start(`exit 3 # ${'x'.repeat(5000)}`)
  await waitFor(async () => (await list()).find(isOurs(ended))?.isRunning === false)
  const shells = await list()
  assert.ok(shells.findIndex(isOurs(running)) < shells.findIndex(isOurs(ended)))
  const { startedAt, ...first } = shells.find(isOurs(running)) ?? assert.fail()
  assert.ok(Math.abs(Date.parse(startedAt) - Date.now()) < 600_000)
  assert.deepEqual(first, {
    id: running,
    command: 'cat',
    useTty: true,
    workingDirectory: '/usr',
    exitCode: null,
    isRunning: true,
  })
  const { exitCode, command, workingDirectory } = shells.find(isOurs(ended)) ?? assert.fail()
  assert.deepEqual([exitCode, command.length, workingDirectory], [3, 1000, null])
  await service.remove(`${shell}/${running}`)
  assert.equal((await list()).find(isOurs(running)), undefined)
  const viewer = await service.keyOf('viewer')
  assert.deepEqual(await codeOf(service.get(shell, { key: viewer })), [403, 'auth.FORBIDDEN'])
  assert.deepEqual(await codeOf(service.get('~/sandboxes/absent/shell')), [404, 'sandbox.NOT_FOUND'])
})

test('input is text or bytes in base64, and exactly one of them', async () => {
  const id = await start('od -An -tx1')
  const bytes = Buffer.from([0, 255, 195, 10])
  assert.equal((await write(id, 'é')).status, 200)
  const written = await service.post(`${shell}/${id}`, { dataBase64: bytes.toString('base64') })
  assert.equal(written.status, 200, written.text)
  for (const body of [{}, { data: 'a', dataBase64: 'YQ==' }, { dataBase64: 'a' }])
    assert.deepEqual(await codeOf(service.post(`${shell}/${id}`, body)), [400, 'request.INVALID'])
  await service.call('PUT', `${shell}/${id}/finish`)
  assert.equal(textOf((await readAll(id)).output), ' c3 a9 00 ff c3 0a\n')
})

test('a command runs in the login shell of the desktop user, in the given folder', async () => {
  const events = await stream('id -un; shopt -q login_shell && echo login; pwd; echo $DISPLAY', {
    workingDirectory: '/usr',
  })
  assert.equal(byKind(await events.rest())['stdout'], 'user\nlogin\n/usr\n:0\n')
})

test('a shell can be written to and read, and finishes at the end of its input', async () => {
  const id = await start('while read line; do echo "got $line"; done; echo over')
  assert.equal((await write(id, 'eins\nzwei – ü\n')).text, '')
  let seen = ''
  await waitFor(async () => {
    seen += textOf((await read(id)).output)
    return seen === 'got eins\ngot zwei – ü\n'
  })
  assert.deepEqual(await read(id), { output: [], isRunning: true })
  const { status, text } = await service.call('PUT', `${shell}/${id}/finish`)
  assert.deepEqual([status, text], [200, ''])
  assert.deepEqual(await readAll(id), {
    output: [
      { oneofKind: 'stdout', stdout: 'over\n' },
      { oneofKind: 'waiting', waiting: true },
    ],
    isRunning: false,
    exitCode: 0,
  })
  assert.deepEqual((await read(id)).output, [])
  assert.deepEqual(await codeOf(write(id, 'more')), [409, 'shell.FINISHED'])
})

test('a terminal has a size, echoes, can be resized, and receives the end of the input', async () => {
  const id = await start('bash --norc', { useTty: true, ttyRows: 30, ttyCols: 100 })
  const events = await attach(id)
  await write(id, 'stty size; tty\n')
  const first = await events.until('/dev/pts')
  assert.match(first, /30 100\r\n\/dev\/pts/)
  assert.equal(
    (await service.call('PUT', `${shell}/${id}/size`, { body: { ttyRows: 50, ttyCols: 132 } })).status,
    200,
  )
  await write(id, 'stty size\n')
  await events.until('50 132\r\n')
  await service.call('PUT', `${shell}/${id}/finish`)
  assert.deepEqual(Object.keys(byKind(await events.rest())), ['stdout', 'waiting', 'end'])
  const plain = await start('sleep 100')
  const size = service.call('PUT', `${shell}/${plain}/size`, { body: { ttyRows: 50, ttyCols: 132 } })
  assert.deepEqual(await codeOf(size), [409, 'shell.NO_TERMINAL'])
})

test('the end of the input reaches a shell in a terminal that was busy when it came', async () => {
  const id = await start('bash --norc', { useTty: true })
  const events = await attach(id)
  await write(id, 'echo as""leep; sleep 0.5; echo aw""ake\n')
  await events.until('asleep')
  await service.call('PUT', `${shell}/${id}/finish`)
  assert.match(byKind(await events.rest())['stdout'] ?? '', /awake/)
  assert.equal((await readAll(id)).exitCode, 0)
})

test('a full-screen program draws in a terminal, accepts keys, and restores the screen', async () => {
  const program = `import curses
def main(screen):
  screen.addstr(4, 10, f"{curses.LINES}x{curses.COLS}"); screen.refresh()
  while (key := screen.getkey()) != "q": screen.addstr(5, 10, "key " + key); screen.refresh()
curses.wrapper(main)`
  const id = await start(`python3 -c '${program}'`, { useTty: true, ttyRows: 20, ttyCols: 70 })
  const events = await attach(id)
  const drawn = await events.until('20x70')
  assert.ok(drawn.includes('\x1b[?1049h'), 'it switched to the alternate screen')
  assert.ok(drawn.includes('\x1b[5;11H'), 'it moved to row 4, column 10')
  await write(id, 'x')
  await events.until('key x')
  await write(id, 'q')
  assert.ok(byKind(await events.rest())['stdout']?.includes('\x1b[?1049l'), 'it restored the screen')
})

test('a character that is split across two writes is complete in every event and every read', async () => {
  const id = await start("printf 'a\\xf0\\x9f'; read go; printf '\\x98\\x80z\\xff\\xc3'")
  const reader = await attach(id)
  const first = await reader.next()
  await write(id, '\n')
  const events = [first, ...(await reader.rest())]
  const chunks = events.filter(({ kind }) => kind === 'stdout').map(({ bytes }) => bytes.toString('latin1'))
  assert.deepEqual(chunks, ['a', '\xf0\x9f\x98\x80z\xff', '\xc3'])
  assert.equal(textOf((await readAll(id)).output), 'a😀z\ufffd\ufffd')
})

test('the last event of a stream says how the command ended, if that is asked for', async () => {
  const lastOf = async (command: string, more: object = {}) => {
    const { text } = await service.post(`${shell}/stream`, { command, includeExit: true, ...more })
    return JSON.parse(text.slice(text.lastIndexOf('data: ') + 'data: '.length).split('\n', 1)[0] ?? '')
  }
  assert.deepEqual(await lastOf('echo out; exit 7'), { end: '', exitCode: 7 })
  assert.deepEqual(await lastOf('kill -9 $$'), { end: '', exitCode: 137 })
  const killed = { end: '', exitCode: 137, timedOut: true }
  assert.deepEqual(await lastOf('sleep 974', { timeoutSeconds: 1 }), killed)
})

test('a command is ended at its timeout, and its stream reports that', async () => {
  const stubborn = 'trap "" TERM HUP; echo begun; setsid sleep 971 & sleep 972'
  const events = await retryWithLongerTimeout(
    async timeoutSeconds => (await stream(stubborn, { timeoutSeconds })).rest(),
    ([first]) => first?.kind === 'stdout',
  )
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['stdout', 'timeout', 'end'],
  )
  assert.match(String(events[1]?.bytes), /time was over/)
  assert.doesNotMatch(await commandLines(service, sandbox), /sleep 97[12]/)
  const { timedOut, exitCode, isRunning } = await readAll(await start('sleep 973', { timeoutSeconds: 1 }))
  assert.deepEqual([timedOut, exitCode, isRunning], [true, 137, false])
})

test('every reader sees all output, and one that reconnects resumes after its last event', async () => {
  const id = await start('for i in 1 2 3; do read line; echo "$i $line"; done')
  const [one, two] = await Promise.all([attach(id), attach(id)])
  await write(id, 'first\n')
  for (const reader of [one, two]) assert.equal(String((await reader.next()).bytes), '1 first\n')
  await write(id, 'second\n')
  const { id: lastEventId } = await one.next()
  one.close()
  await write(id, 'third\n')
  const again = await attach(id, { lastEventId })
  assert.deepEqual(byKind(await again.rest()), { stdout: '3 third\n', waiting: '', end: '' })
  assert.equal(byKind(await two.rest())['stdout'], '2 second\n3 third\n')
  assert.equal(textOf((await readAll(id)).output), '1 first\n2 second\n3 third\n')
})

test('a repeated stream with Last-Event-ID resumes the same command', async () => {
  const first = await stream('echo $$; read x; echo $$')
  const { bytes: pid, id: lastEventId } = await first.next()
  first.close()
  const body = { command: 'not run' }
  const again = await ShellEvents.open(service, `${shell}/stream`, { body, lastEventId })
  await write(again.shellId, '\n')
  assert.equal(byKind(await again.rest())['stdout'], String(pid))
})

test('a command that was started with its stream is ended when nobody streams it any more', async () => {
  const events = await stream('echo up; sleep 974')
  await events.until('up')
  events.close()
  await waitFor(async () => !(await commandLines(service, sandbox)).includes('sleep 974'))
  assert.deepEqual(await codeOf(service.post(`${shell}/${events.shellId}/read`)), [404, 'shell.NOT_FOUND'])
})

test('terminating a shell ends all its processes, including daemons and those that ignore signals', async () => {
  const daemons =
    'trap "" HUP TERM INT; sleep 961 & setsid sleep 962 & (setsid sh -c "sleep 963 & sleep 964 &" &); sudo sleep 965 &'
  for (const useTty of [false, true]) {
    for (const rest of ['wait', 'exit']) {
      const id = await start(`${daemons} echo up; sleep 0.2; ${rest}`, { useTty })
      await waitFor(async () => /sleep 965/.test(await commandLines(service, sandbox)))
      const { status, text } = await service.delete(`${shell}/${id}`)
      assert.deepEqual([status, text], [200, ''])
      assert.doesNotMatch(await commandLines(service, sandbox), /sleep 96\d/, `${useTty} ${rest}`)
      assert.deepEqual(await codeOf(service.delete(`${shell}/${id}`)), [404, 'shell.NOT_FOUND'])
    }
  }
  const events = await attach(await start('sleep 966'))
  await service.remove(`${shell}/${events.shellId}`)
  assert.deepEqual(byKind(await events.rest()), { end: '' })
})

test('terminating a shell ends processes that fork continuously', async () => {
  const own = await runningSandbox(service)
  const { body } = await service.post(`${own}/shell`, { command: 'f() { f | f & f & }; f; sleep 967' })
  const full = async () => (await service.post(`${own}/process`, { executable: 'true' })).status === 409
  await waitFor(full)
  assert.equal((await service.delete(`${own}/shell/${body.sessionId}`)).status, 200)
  assert.doesNotMatch(await commandLines(service, own), /bash -lc/)
})

test('unread output is kept up to a limit, and a read reports how much was dropped', async () => {
  const id = await start('seq 1 400000')
  const { body } = await waitForEnd(id)
  const text = textOf(body.output)
  assert.ok(text.endsWith('\n400000\n') && text.length > 500_000 && text.length <= 1024 * 1024)
  const whole = Array.from({ length: 400_000 }, (_, i) => `${i + 1}\n`).join('')
  assert.equal(body.droppedBytes + text.length, whole.length)
  assert.ok(whole.endsWith(text))
  const late = byKind(await (await attach(id)).rest())
  assert.deepEqual([late['dropped'], late['stdout']], [String(body.droppedBytes), text])
})

/** Waits until the command has finished, and then reads once. */
async function waitForEnd(id: string) {
  await waitFor(async () => !(await commandLines(service, sandbox)).includes('seq 1'))
  await (await attach(id)).rest()
  return service.post(`${shell}/${id}/read`)
}

test('a reader gets all of a long output, a slow reader slows down the command, and memory stays flat', async () => {
  const size = 512 * 2 ** 20
  const before = process.memoryUsage().rss
  let maxMemory = before
  const sample = setInterval(() => {
    maxMemory = Math.max(maxMemory, process.memoryUsage().rss)
  }, 20)
  const reader = await stream(`yes sandglass | head -c ${size}; echo -n done >&2`)
  await reader.next()
  assert.match(await commandLines(service, sandbox), /head -c/, 'the command waits for its reader')
  let length = 0
  let printed = ''
  for (let kind = ''; kind !== 'end'; ) {
    const event = await reader.next()
    kind = event.kind
    assert.notEqual(kind, 'dropped')
    if (kind === 'stdout') length += event.bytes.length
    if (kind === 'stderr') printed += event.bytes
  }
  clearInterval(sample)
  assert.ok(length < size && length > size - 2 ** 20, 'the rest is the first event')
  assert.equal(printed, 'done')
  assert.ok(maxMemory - before < 200 * 2 ** 20, `${(maxMemory - before) / 2 ** 20} MiB more`)
})

test('a client that never reads uses little memory, and other readers lose nothing', async () => {
  const id = await start('read go; yes sandglass | head -c 100M')
  const { hostname, port } = new URL(service.service.url)
  const socket = connect(Number(port), hostname).pause()
  const path = service.expand(`${shell}/${id}/stream`)
  const headers = `host: ${hostname}:${port}\r\nx-api-key: ${service.service.credentials.apiKey}`
  socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`)
  await once(socket, 'readable')
  const reader = await attach(id)
  const before = process.memoryUsage().rss
  await write(id, '\n')
  const lengths: Record<string, number> = {}
  while (lengths['end'] === undefined) {
    const { kind, bytes } = await reader.next()
    lengths[kind] = (lengths[kind] ?? 0) + bytes.length
  }
  assert.deepEqual(lengths, { stdout: 100 * 2 ** 20, waiting: 0, end: 0 })
  const more = process.memoryUsage().rss - before
  assert.ok(more < 200 * 2 ** 20, `${more / 2 ** 20} MiB more`)
  socket.destroy()
})

test('input is limited for a command that does not read it', async () => {
  const id = await start('sleep 100')
  const data = 'x'.repeat(500_000)
  const answers = []
  for (let i = 0; i < 12; i++) answers.push(await codeOf(write(id, data)))
  assert.deepEqual(answers[0], [200, undefined])
  assert.deepEqual(answers.at(-1), [409, 'shell.INPUT_FULL'])
  await service.remove(`${shell}/${id}`)
})

test('the number of shells per sandbox is limited, and finished ones are replaced', async () => {
  const own = await runningSandbox(service)
  const open = (command: string) => service.post(`${own}/shell`, { command })
  const first = await open('true')
  const all = await Promise.all(Array.from({ length: 63 }, () => open('sleep 100')))
  assert.deepEqual(
    all.filter(({ status }) => status !== 200).map(({ text }) => text),
    [],
  )
  await waitFor(
    async () => (await service.post(`${own}/shell/${first.body.sessionId}/read`)).body.isRunning === false,
  )
  assert.equal((await open('sleep 100')).status, 200)
  assert.deepEqual(await codeOf(service.post(`${own}/shell/${first.body.sessionId}/read`)), [
    404,
    'shell.NOT_FOUND',
  ])
  assert.deepEqual(await codeOf(open('sleep 100')), [409, 'shell.TOO_MANY'])
  await service.remove(own)
})

test('shells end when their sandbox is restarted or deleted', async () => {
  const own = await runningSandbox(service)
  const open = () =>
    ShellEvents.open(service, `${own}/shell/stream`, { body: { command: 'echo up; sleep 100' } })
  for (const end of [() => service.post(`${own}/restart`), () => service.delete(own)]) {
    const events = await open()
    await events.until('up')
    assert.equal((await end()).status, 200)
    assert.deepEqual(byKind(await events.rest()), { end: '' })
    const code = end.toString().includes('restart') ? 'shell.NOT_FOUND' : 'sandbox.NOT_FOUND'
    assert.deepEqual(await codeOf(service.post(`${own}/shell/${events.shellId}/read`)), [404, code])
  }
})

test('starting a shell honours Idempotency-Key and is audited, and another organization cannot see the shell', async () => {
  const headers = { 'idempotency-key': 'one-shell' }
  const [one, two] = [
    await service.post(shell, { command: 'sleep 100' }, { headers }),
    await service.post(shell, { command: 'sleep 100' }, { headers }),
  ]
  assert.deepEqual(two.body, one.body)
  const { body } = await service.get(`~/audit-log?operation=createSandboxShell&limit=1`)
  assert.equal(`~/sandboxes/${body.entries[0].target}`, sandbox)
  const other = await service.otherOrganization()
  const elsewhere = `${sandbox.replace('~', `/api/orgs/${other.orgId}`)}/shell/${one.body.sessionId}/read`
  assert.deepEqual(await codeOf(service.post(elsewhere, undefined, { key: other.apiKey })), [
    404,
    'sandbox.NOT_FOUND',
  ])
})

test('an invalid command or shell is a 4xx with the reason', async () => {
  assert.deepEqual(await codeOf(service.post(shell, { command: 'true', workingDirectory: '/no/where' })), [
    400,
    'process.CANNOT_START',
  ])
  assert.deepEqual(await codeOf(service.post(shell, { command: '' })), [400, 'request.INVALID'])
  assert.deepEqual(await codeOf(service.post(shell, { command: 'a\0b' })), [400, 'request.INVALID'])
  for (const path of ['read', 'stream'])
    assert.deepEqual(
      await codeOf(service.call(path === 'read' ? 'POST' : 'GET', `${shell}/absent/${path}`)),
      [404, 'shell.NOT_FOUND'],
    )
})

test('a service that stops ends its streams before it closes', async () => {
  const events = await stream('echo up; sleep 100')
  await events.until('up')
  await service.service.close()
  assert.deepEqual(byKind(await events.rest()), { end: '' })
})
