import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fails, output } from '../../../contract/conformance/running.ts'
import { waitFor } from '../../../testing/wait-for.ts'
import { testEngine, testSpec } from '../test-engine.ts'

const world = await testEngine()
const engine = world.open()
const machine = await engine.open(await engine.create(testSpec()))
const { files } = machine
after(async () => {
  await engine.close()
  await world.dispose()
})

const inside = async (script: string, user = 'root') => {
  const { stdout, stderr, code } = await output(machine, { executable: 'sh', args: ['-c', script], user })
  assert.equal(code, 0, stderr)
  return stdout.trim()
}
const ownerOf = (path: string) => inside(`stat -c '%U %G %a' ${path}`)
const content = Buffer.from('content')

/** The process ids, by user, of what serves requests one after another. */
const servers = (user: string) => inside(`pgrep -u ${user} -f guest/agent.py || true`)

await inside(`
  echo 'mallory:x:1001:1001::/home/mallory:/bin/sh' >> /etc/passwd
  echo 'mallory:x:1001:' >> /etc/group
  echo 'shared:x:2000:mallory' >> /etc/group
  mkdir /home/mallory && chown 1001:1001 /home/mallory && chmod 700 /home/mallory
  mkdir /shared && chgrp shared /shared && chmod 770 /shared
  mkdir /closed && echo secret > /closed/secret && chmod 600 /closed/secret
`)

test('a file has the owner and mode that a program of the user gives it', async () => {
  for (const [user, group] of [
    ['user', 'user'],
    ['mallory', 'mallory'],
    ['root', 'root'],
  ] as const) {
    await files.create(`/tmp/by-${user}`, content, { user })
    assert.equal(await ownerOf(`/tmp/by-${user}`), `${user} ${group} 644`)
  }
})

test('a process serves one user after another request of the same, and nobody else', async () => {
  await files.create('/tmp/one', content)
  const first = await servers('user')
  await files.create('/tmp/two', content)
  await files.readSmall('/tmp/two')
  await files.remove('/tmp/two', { durable: false })
  assert.equal(await servers('user'), first)
  await files.create('/tmp/three', content, { user: 'mallory' })
  assert.equal(await servers('user'), first)
  const status = await inside(`cat /proc/${first.split('\n')[0]}/status`)
  const of = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.trim()
  assert.equal(of('Uid')?.replaceAll('\t', ' '), '1000 1000 1000 1000')
  assert.equal(of('Gid')?.replaceAll('\t', ' '), '1000 1000 1000 1000')
  for (const set of ['CapEff', 'CapPrm', 'CapAmb']) assert.match(of(set) ?? '', /^0+$/)
})

test('the permissions of the user apply, groups included', async () => {
  for (const user of ['user', 'mallory']) {
    await assert.rejects(files.create('/closed/new', content, { user }), fails('DENIED'))
    await assert.rejects(files.readSmall('/closed/secret', { user }), fails('DENIED'))
    await assert.rejects(files.remove('/closed/secret', { user, durable: false }), fails('DENIED'))
  }
  assert.equal(await inside('ls /closed'), 'secret')
  await files.create('/closed/new', content, { user: 'root' })
  assert.equal(await ownerOf('/closed/new'), 'root root 644')
  await assert.rejects(files.create('/home/mallory/new', content), fails('DENIED'))
  await assert.rejects(files.create('/shared/new', content), fails('DENIED'))
  await files.create('/shared/new', content, { user: 'mallory' })
  assert.equal(await ownerOf('/shared/new'), 'mallory mallory 644')
})

test('in a sticky folder, what belongs to another user stays', async () => {
  await inside('echo theirs > /tmp/theirs', 'mallory')
  await assert.rejects(files.create('/tmp/theirs', content), fails('EXISTS'))
  await assert.rejects(files.remove('/tmp/theirs', { durable: false }), fails('DENIED'))
  assert.equal(await inside('cat /tmp/theirs'), 'theirs')
})

test('a link in place is not followed', async () => {
  await inside(
    'ln -s /home/user/planted /tmp/dangling; echo kept > /tmp/kept; ln -s kept /tmp/leading',
    'user',
  )
  for (const path of ['/tmp/dangling', '/tmp/leading'])
    for (const user of ['user', 'root'])
      await assert.rejects(files.create(path, content, { user }), fails('EXISTS'))
  assert.equal(await inside('cat /tmp/kept; ls /home/user'), 'kept')
  await files.remove('/tmp/leading', { durable: false })
  assert.equal(await inside('cat /tmp/kept'), 'kept')
})

test('requests of different users at once do not mix', async () => {
  const users = ['user', 'mallory', 'root']
  const all = Array.from({ length: 45 }, (_, at) => ({ path: `/tmp/mixed-${at}`, user: users[at % 3] ?? '' }))
  await Promise.all(
    all.map(async ({ path, user }) => {
      await files.create(path, Buffer.from(path.repeat(5000)), { user })
      assert.equal(String((await files.readSmall(path, { user })).content), path.repeat(5000))
    }),
  )
  const owners = (await inside(`cd /tmp; stat -c '/tmp/%n %U %G %a' mixed-*`)).split('\n').sort()
  assert.deepEqual(owners, all.map(({ path, user }) => `${path} ${user} ${user} 644`).sort())
})

test('a user who becomes another one is not served as before', async () => {
  await files.create('/tmp/before', content, { user: 'mallory' })
  await inside("chmod 755 /home/mallory; sed -i 's/^mallory:x:1001:/mallory:x:1002:/' /etc/passwd")
  const refusals: unknown[] = []
  const created = () =>
    files.create('/tmp/after', content, { user: 'mallory' }).then(
      () => true,
      error => refusals.push(error) === 0,
    )
  await waitFor(created)
  assert.ok(refusals.length > 0 && refusals.every(fails('STATE')))
  assert.equal(await inside('stat -c %u /tmp/after'), '1002')
  await assert.rejects(
    files.create('/tmp/nobody', content, { user: 'nobody-of-this-name' }),
    fails('NOT_FOUND'),
  )
})

test('a process keeps nothing open of what it was asked for', async () => {
  await inside('mkfifo /tmp/fifo', 'user')
  for (let round = 0; round < 20; round++)
    await assert.rejects(files.readSmall('/tmp/fifo'), fails('WRONG_KIND'))
  await files.readSmall('/tmp/one')
  const open = await inside(
    `for pid in $(pgrep -u user -f guest/agent.py); do ls /proc/$pid/fd; done | wc -l`,
  )
  assert.ok(Number(open) < 20, `${open} descriptors are open`)
})

test('a process that was killed is replaced', async () => {
  await files.create('/tmp/killed', content)
  await inside('pkill -9 -u user -f guest/agent.py')
  await waitFor(async () => (await servers('user')) === '')
  assert.equal(String((await files.readSmall('/tmp/killed')).content), 'content')
  await files.create('/tmp/replaced', content)
})

test('nothing is left of a creation that is aborted', async () => {
  const reason = new Error('not wanted any more')
  await assert.rejects(files.create('/tmp/aborted', content, { signal: AbortSignal.abort(reason) }))
  await assert.rejects(files.stat('/tmp/aborted'), fails('NOT_FOUND'))
})

test('a machine that is paused refuses requests, and serves them when it is resumed', async () => {
  await files.create('/tmp/paused', content)
  await engine.pause(machine.handle)
  await assert.rejects(files.create('/tmp/while-paused', content), fails('STATE'))
  await engine.resume(machine.handle)
  assert.equal(String((await files.readSmall('/tmp/paused')).content), 'content')
})

test('the processes end with the connection to the machine', async () => {
  const another = await engine.open(machine.handle)
  await another.files.create('/tmp/ended', content, { user: 'root' })
  const before = (await inside('pgrep -c -f guest/agent.py')).trim()
  another.close()
  await waitFor(async () => (await inside('pgrep -c -f guest/agent.py')).trim() < before)
})
