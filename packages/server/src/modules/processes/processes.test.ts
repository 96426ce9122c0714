import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { commandLines, runIn, runningSandbox } from '../../testing/sandbox-programs.ts'
import { startMachineService } from '../../testing/test-machines.ts'
import { retryWithLongerTimeout } from '../../testing/time-enough.ts'

const { service } = await startMachineService()
const sandbox = await runningSandbox(service)
const run = (executable: string, args: string[] = [], more: object = {}) =>
  runIn(service, sandbox, { executable, args, ...more })
const sh = (script: string, more?: object) => run('sh', ['-c', script], more)

test('a program runs as the desktop user, on its display, with the given arguments and folder', async () => {
  assert.deepEqual(await sh('id -un; pwd; echo $DISPLAY'), {
    stdout: 'user\n/home/user\n:0\n',
    stderr: '',
    exitCode: 0,
  })
  const { stdout } = await run('printf', ['%s|', "it's", '$HOME', '', 'a b', '–ü', '*'])
  assert.equal(stdout, "it's|$HOME||a b|–ü|*|")
  assert.equal((await run('pwd', [], { workingDirectory: '/usr/share' })).stdout, '/usr/share\n')
})

test('input and output can be any bytes, and stdout and stderr are separate', async () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 512 }, (_, i) => i))
  const stdinBase64 = bytes.toString('base64')
  const { body } = await service.post(`${sandbox}/process`, { executable: 'cat', stdinBase64 })
  assert.deepEqual(body, { stdoutBase64: stdinBase64, stderrBase64: '', exitCode: 0 })
  const { stdout, stderr, exitCode } = await sh('echo out; echo err >&2; exit 7')
  assert.deepEqual([stdout, stderr, exitCode], ['out\n', 'err\n', 7])
})

test('a program that was ended by signal n has the exit code 128+n', async () => {
  assert.equal((await sh('kill -TERM $$')).exitCode, 143)
  assert.equal((await sh('kill -9 $$')).exitCode, 137)
})

test('a program shows its window on the screen, and its background processes continue', async () => {
  const { stdout, exitCode } = await sh('xterm -T on-the-screen -e sleep 600 & echo started')
  assert.deepEqual([stdout, exitCode], ['started\n', 0])
  await waitFor(async () => (await run('xdotool', ['search', '--name', 'on-the-screen'])).exitCode === 0)
})

test('a program that cannot be started is a client error with the reason', async () => {
  const refused = async (body: object) => {
    const { status, body: answer } = await service.post(`${sandbox}/process`, body)
    return [status, answer.code, answer.message]
  }
  const cases = [
    [{ executable: 'no-such-program' }, /program cannot be used: No such file or directory: no-such-program/],
    [{ executable: '/etc/passwd' }, /program cannot be used: Permission denied: \/etc\/passwd/],
    [{ executable: 'ls', workingDirectory: '/no/where' }, /working directory cannot be used: No such file/],
    [{ executable: 'ls', args: ['x'.repeat(200_000)] }, /Argument list too long/],
  ] as const
  for (const [body, message] of cases) {
    const [status, code, text] = await refused(body)
    assert.deepEqual([status, code], [400, 'process.CANNOT_START'], text)
    assert.match(text, message)
  }
  assert.equal((await refused({ executable: 'a\0b' }))[0], 400)
  assert.equal((await refused({ executable: 'cat', stdinBase64: '%' }))[0], 400)
})

test('the beginning of endless output is kept, and the memory of the service stays flat', async () => {
  const before = process.memoryUsage().rss
  let maxMemory = before
  const sample = setInterval(() => {
    maxMemory = Math.max(maxMemory, process.memoryUsage().rss)
  }, 20)
  const { stdout, stderr, exitCode, stdoutTruncated } = await sh(
    'yes sandglass | head -c 600M; echo end >&2',
    { timeoutSeconds: 240 },
  )
  clearInterval(sample)
  assert.deepEqual([stdout.length, stderr, exitCode, stdoutTruncated], [1024 * 1024, 'end\n', 0, true])
  assert.ok(maxMemory - before < 150 * 2 ** 20, `${(maxMemory - before) / 2 ** 20} MiB more`)
})

test('a program that closes its pipes, or leaves them open in other processes, is answered when it ends', async () => {
  assert.equal((await sh('exec >&- 2>&- <&-; (sleep 976 &); exit 5')).exitCode, 5)
  assert.equal((await sh('sleep 977 & exit 6')).exitCode, 6)
  assert.match(await commandLines(service, sandbox), /sleep 977/)
})

test('a program is killed at its timeout, with all processes that it started', async () => {
  const { exitCode, timedOut, stdout } = await retryWithLongerTimeout(
    timeoutSeconds => sh('echo begun; setsid sleep 978 & sleep 979', { timeoutSeconds }),
    ran => ran.stdout !== '',
  )
  assert.deepEqual([exitCode, timedOut, stdout], [137, true, 'begun\n'])
  assert.doesNotMatch(await commandLines(service, sandbox), /sleep 97[89]/)
})

test('a program is killed when its caller disconnects', async () => {
  const abort = new AbortController()
  const url = service.service.url + service.expand(`${sandbox}/process`)
  const { apiKey } = service.service.credentials
  const call = fetch(url, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ executable: 'sh', args: ['-c', 'trap "" TERM HUP; sleep 980 & wait'] }),
    signal: abort.signal,
  })
  await waitFor(async () => (await commandLines(service, sandbox)).includes('sleep 980'))
  abort.abort()
  await assert.rejects(call)
  await waitFor(async () => !(await commandLines(service, sandbox)).includes('sleep 980'))
})

test('two hundred concurrent programs each return their own output', async () => {
  const numbers = Array.from({ length: 200 }, (_, i) => String(i))
  const answers = await Promise.all(numbers.map(number => run('echo', [number])))
  assert.deepEqual(
    answers.map(({ stdout }) => stdout.trim()),
    numbers,
  )
})

test('the audit log contains programs that ran and programs that were refused', async () => {
  const other = await runningSandbox(service)
  await runIn(service, other, { executable: 'true' })
  await service.remove(other)
  await service.post(`${other}/process`, { executable: 'true' })
  const target = other.split('/').at(-1)
  const outcomes = async (): Promise<string[]> => {
    const { body } = await service.get(`~/audit-log?target=${target}&operation=execSandboxProcess`)
    return body.entries.map(({ outcome }: { outcome: string }) => outcome)
  }
  await waitFor(async () => (await outcomes()).length === 2)
  assert.deepEqual((await outcomes()).sort(), ['attempted', 'sandbox.NOT_FOUND'])
})

test('a sandbox that ends or is paused while a program runs is reported as a state error', async () => {
  const other = await runningSandbox(service)
  const call = service.post(`${other}/process`, { executable: 'sleep', args: ['981'] })
  await waitFor(async () => (await commandLines(service, other)).includes('sleep 981'))
  await service.remove(other)
  const { status, body } = await call
  assert.deepEqual([status, body.code], [409, 'sandbox.STATE'])

  const paused = await runningSandbox(service)
  assert.equal((await service.post(`${paused}/pause`)).status, 200)
  const refused = await service.post(`${paused}/process`, { executable: 'true' })
  assert.deepEqual([refused.status, refused.body.code], [409, 'sandbox.STATE'])
})
