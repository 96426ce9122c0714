import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import {
  AuthenticationError,
  CommandExitError,
  FileNotFoundError,
  FilesystemEventType,
  FileType,
  InvalidArgumentError,
  NotFoundError,
  Sandbox,
  SandboxNotFoundError,
  TimeoutError,
} from 'e2b'
import { recordCalls } from '../../../testing/e2b-calls/record-calls.ts'
import { e2bOptions } from '../../../testing/e2b-options.ts'
import { startMachineService } from '../../../testing/test-machines.ts'

recordCalls(import.meta.filename)
const { service } = await startMachineService()
const options = e2bOptions(service)
const sandbox = await Sandbox.create('small', { ...options, timeoutMs: 3_600_000, envs: { COLOUR: 'green' } })
const { sandboxId } = sandbox

/** What the client sends with each request to the daemon. */
const headers = {
  'e2b-sandbox-id': sandboxId,
  'e2b-sandbox-port': '49983',
  'x-access-token': tokenOf(sandbox),
}

function tokenOf(client: object): string {
  const { envdAccessToken } = client as { readonly envdAccessToken: string }
  return envdAccessToken
}

test('commands run with their output, environment, folder and user', async () => {
  const result = await sandbox.commands.run('echo "$COLOUR $SIZE $(pwd) $(id -un)"; echo oops >&2', {
    cwd: '/tmp',
    envs: { SIZE: 'large' },
  })
  assert.equal(result.stdout, 'green large /tmp user\n')
  assert.equal(result.stderr, 'oops\n')
  assert.equal(result.exitCode, 0)
  const root = await sandbox.commands.run('id -un; pwd', { user: 'root' })
  assert.equal(root.stdout, 'root\n/root\n')
  await assert.rejects(sandbox.commands.run('exit 7'), (error: unknown) => {
    assert.ok(error instanceof CommandExitError)
    assert.equal(error.exitCode, 7)
    return true
  })
  await assert.rejects(sandbox.commands.run('true', { cwd: '/nowhere' }), InvalidArgumentError)
})

test('output is streamed as it comes, completely', async () => {
  const parts: string[] = []
  const { stdout } = await sandbox.commands.run(
    'for n in 1 2 3; do echo $n; done; head -c 3000000 /dev/zero | tr "\\0" x',
    {
      onStdout: data => void parts.push(data),
    },
  )
  assert.equal(stdout.length, 3_000_006)
  assert.equal(parts.join(''), stdout)
})

test('a command in the background takes input, is listed, and can be connected to and killed', async () => {
  const command = await sandbox.commands.run('while read line; do echo "got $line"; done; echo done', {
    background: true,
    stdin: true,
    timeoutMs: 0,
  })
  const listed = await sandbox.commands.list()
  assert.ok(listed.some(({ pid, cmd }) => pid === command.pid && cmd === '/bin/bash'))
  await command.disconnect()
  let heard = ''
  const again = await sandbox.commands.connect(command.pid, {
    timeoutMs: 0,
    onStdout: data => {
      heard += data
    },
  })
  await sandbox.commands.sendStdin(command.pid, 'one\n')
  await waitFor(() => heard === 'got one\n')
  await again.sendStdin('two\n')
  await again.closeStdin()
  const { stdout } = await again.wait()
  assert.equal(stdout, 'got one\ngot two\ndone\n')
  assert.equal(await sandbox.commands.kill(command.pid), false)

  const reading = await sandbox.commands.run('wc -c', { background: true, stdin: true, timeoutMs: 0 })
  await sandbox.commands.sendStdin(reading.pid, 'four')
  await sandbox.commands.closeStdin(reading.pid)
  assert.equal((await reading.wait()).stdout, '4\n')

  const sleeping = await sandbox.commands.run('sleep 1000', { background: true, timeoutMs: 0 })
  assert.equal(await sleeping.kill(), true)
  await assert.rejects(sleeping.wait(), (error: unknown) => {
    assert.ok(error instanceof CommandExitError)
    assert.equal(error.exitCode, -1)
    assert.equal(error.error, 'signal: killed')
    return true
  })
  await assert.rejects(sandbox.commands.connect(999_999), NotFoundError)
})

test('a command ends at its timeout', async () => {
  await assert.rejects(sandbox.commands.run('sleep 1001', { timeoutMs: 1000 }), TimeoutError)
  await waitFor(async () => (await sandbox.commands.run('pgrep -f "[s]leep 1001" || true')).stdout === '')
})

test('a terminal has a size that can change, and takes keys', async () => {
  let seen = ''
  const pty = await sandbox.pty.create({
    cols: 90,
    rows: 30,
    timeoutMs: 0,
    onData: data => {
      seen += Buffer.from(data).toString()
    },
  })
  const type = (text: string) => sandbox.pty.sendInput(pty.pid, new TextEncoder().encode(text))
  await type('stty size; echo $TERM\n')
  await waitFor(() => seen.includes('30 90') && seen.includes('xterm-256color'))
  await sandbox.pty.resize(pty.pid, { cols: 100, rows: 40 })
  await type('stty size\n')
  await waitFor(() => seen.includes('40 100'))
  await pty.disconnect()
  const again = await sandbox.pty.connect(pty.pid, { onData: () => {} })
  assert.equal(await sandbox.pty.kill(again.pid), true)
})

test('files are written, read, described, listed, moved and removed', async () => {
  const { files } = sandbox
  assert.deepEqual(await files.write('notes/today.txt', 'hello'), {
    name: 'today.txt',
    type: 'file',
    path: '/home/user/notes/today.txt',
    metadata: undefined,
  })
  assert.equal(await files.read('notes/today.txt'), 'hello')
  assert.deepEqual(
    await files.read('/home/user/notes/today.txt', { format: 'bytes' }),
    new TextEncoder().encode('hello'),
  )
  const info = await files.getInfo('notes/today.txt')
  assert.equal(info.type, FileType.FILE)
  assert.equal(info.size, 5)
  assert.equal(info.owner, 'user')
  assert.equal(info.permissions, '-rw-r--r--')
  assert.ok(info.modifiedTime && Math.abs(info.modifiedTime.getTime() - Date.now()) < 600_000)
  assert.equal(await files.makeDir('notes/old/older'), true)
  assert.equal(await files.makeDir('notes/old'), false)
  const moved = await files.rename('notes/today.txt', 'notes/old/yesterday.txt')
  assert.equal(moved.path, '/home/user/notes/old/yesterday.txt')
  assert.deepEqual(
    (await files.list('notes')).map(({ path, type }) => [path, type]),
    [['/home/user/notes/old', FileType.DIR]],
  )
  assert.deepEqual(
    (await files.list('notes', { depth: 2 })).map(({ name }) => name),
    ['old', 'older', 'yesterday.txt'],
  )
  await files.remove('notes')
  assert.equal(await files.exists('notes'), false)
  await assert.rejects(files.read('notes/today.txt'), FileNotFoundError)
  await assert.rejects(files.list('notes'), NotFoundError)
})

test('files of all kinds and sizes arrive unchanged', async () => {
  const { files } = sandbox
  const bytes = new Uint8Array(5_000_000).map((_, at) => at % 251)
  await files.write('big', bytes.buffer)
  assert.deepEqual(await files.read('big', { format: 'bytes' }), bytes)
  await files.write('stream', new Blob([bytes]).stream())
  const stream = await files.read('stream', { format: 'stream' })
  assert.deepEqual(new Uint8Array(await new Response(stream).arrayBuffer()), bytes)
  await files.write('zipped', 'packed', { gzip: true })
  assert.equal(await files.read('zipped', { gzip: true }), 'packed')
  await files.write('empty', '')
  assert.equal(await files.read('empty'), '')
  const written = await files.write([
    { path: 'several/one', data: '1' },
    { path: '/tmp/two', data: '2' },
  ])
  assert.deepEqual(
    written.map(({ path }) => path),
    ['/home/user/several/one', '/tmp/two'],
  )
  assert.equal(await files.read('/tmp/two'), '2')
  const both = await files.writeFiles([
    { path: 'pair/one', data: '1' },
    { path: 'pair/two', data: '2' },
  ])
  assert.deepEqual(
    both.map(({ path }) => path),
    ['/home/user/pair/one', '/home/user/pair/two'],
  )
  assert.equal(await files.read('pair/two'), '2')
  await files.write('/root/secret', 'mine', { user: 'root' })
  assert.equal((await files.getInfo('/root/secret', { user: 'root' })).owner, 'root')
  await assert.rejects(files.read('/root/secret'), /403/)
})

test('a folder is watched', async () => {
  await sandbox.files.makeDir('watched/below')
  const events: string[] = []
  const watch = await sandbox.files.watchDir(
    'watched',
    ({ type, name }) => void events.push(`${type} ${name}`),
    { recursive: true, timeoutMs: 0 },
  )
  await sandbox.files.write('watched/below/file', 'text')
  await waitFor(() => events.includes(`${FilesystemEventType.CREATE} below/file`))
  await sandbox.files.remove('watched/below/file')
  await waitFor(() => events.includes(`${FilesystemEventType.REMOVE} below/file`))
  await watch.stop()
  await assert.rejects(
    sandbox.files.watchDir('nowhere', () => {}),
    NotFoundError,
  )
})

test('signed URLs read and write one file of the sandbox that the request names', async () => {
  const named = { 'e2b-sandbox-id': sandboxId, 'e2b-sandbox-port': '49983' }
  const form = new FormData()
  form.append('file', new Blob(['signed']), 'signed.txt')
  const uploaded = await fetch(await sandbox.uploadUrl('signed.txt'), {
    method: 'POST',
    headers: named,
    body: form,
  })
  assert.equal(uploaded.status, 200, await uploaded.text())
  const url = await sandbox.downloadUrl('signed.txt', { useSignatureExpiration: 600 })
  assert.equal(await (await fetch(url, { headers: named })).text(), 'signed')
  const changed = new URL(url)
  changed.searchParams.set('path', 'big')
  assert.equal((await fetch(changed, { headers: named })).status, 401)
  const expired = await sandbox.downloadUrl('signed.txt', { useSignatureExpiration: -1 })
  assert.equal((await fetch(expired, { headers: named })).status, 401)
  assert.equal((await fetch(url, { method: 'POST', headers: named, body: form })).status, 401)
})

test('the daemon says whether it is well, what it uses, and its environment', async () => {
  assert.equal(await sandbox.isRunning(), true)
  const metrics = await service.get('/metrics', { key: null, headers })
  assert.equal(metrics.body.mem_total, 512 * 1024 * 1024)
  const envs = await service.get('/envs', { key: null, headers })
  assert.equal(envs.body.COLOUR, 'green')
})

test('the daemon is found by the host of its port as well', async () => {
  const { hostname, port } = new URL(service.service.url)
  const asked = request({
    hostname,
    port,
    path: '/health',
    headers: { host: `49983-${sandboxId}.localhost:${port}`, 'x-access-token': tokenOf(sandbox) },
  }).end()
  const [response] = await once(asked, 'response')
  assert.equal(response.statusCode, 204)
  response.resume()
})

test('watchers that are asked from time to time keep the changes until then', async () => {
  const call = (method: string, body: object) =>
    service.post(`/filesystem.Filesystem/${method}`, body, { key: null, headers })
  await sandbox.files.makeDir('asked')
  const { body: made } = await call('CreateWatcher', { path: 'asked' })
  await sandbox.files.write('asked/file', 'text')
  const events: string[] = []
  await waitFor(async () => {
    const { body } = await call('GetWatcherEvents', made)
    events.push(...(body.events ?? []).map(({ type, name }: Record<string, string>) => `${type} ${name}`))
    return events.includes('EVENT_TYPE_CREATE file')
  })
  await call('RemoveWatcher', made)
  assert.equal((await call('GetWatcherEvents', made)).body.code, 'not_found')
})

test('a wrong token, no token and the token of another sandbox are refused', async () => {
  const other = await Sandbox.create('small', options)
  const { sandboxUrl } = options
  const withToken = (token: string) =>
    new Sandbox({ ...options, sandboxUrl, sandboxId, envdVersion: '0.6.1', envdAccessToken: token })
  for (const token of [tokenOf(other), 'sgm_nonsense', `${tokenOf(sandbox).slice(0, -2)}AA`]) {
    const thief = withToken(token)
    await assert.rejects(thief.commands.run('true'), AuthenticationError)
    await assert.rejects(thief.commands.list(), AuthenticationError)
    await assert.rejects(thief.files.list('/'), AuthenticationError)
    await assert.rejects(thief.files.read('/etc/passwd'), AuthenticationError)
    await assert.rejects(thief.files.write('stolen', 'x'), AuthenticationError)
  }
  const none = new Sandbox({ ...options, sandboxId, envdVersion: '0.6.1' })
  await assert.rejects(none.commands.run('true'), AuthenticationError)
  await assert.rejects(none.files.read('/etc/passwd'), AuthenticationError)

  await other.kill()
  assert.equal(await other.isRunning(), false)
  await assert.rejects(other.commands.run('true'), SandboxNotFoundError)
  await assert.rejects(other.commands.list(), TimeoutError)
  await assert.rejects(other.files.read('/etc/passwd'), TimeoutError)
})

test('a token ends with the key that it was given to', async () => {
  const { body: key } = await service.post('~/api-keys', { name: 'short', role: 'member' })
  const mine = await Sandbox.connect(sandboxId, { ...options, apiKey: key.apiKey })
  assert.equal((await mine.commands.run('echo hello')).stdout, 'hello\n')
  const watching = await mine.commands.run('sleep 1002', { background: true, timeoutMs: 0 })
  await service.remove(`~/api-keys/${key.id}`)
  await assert.rejects(watching.wait())
  await assert.rejects(mine.commands.run('true'), AuthenticationError)
})
