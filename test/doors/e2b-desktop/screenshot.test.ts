import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CommandExitError, type Sandbox as Desktop } from '@e2b/desktop'
import { waitFor } from '@sandglass/machines/testing'
import { decode } from 'fast-png'
import { differenceOf, startDesktop } from './start-desktop.ts'

const { service, desktop, another } = await startDesktop()

let count = 0
const freshPath = () => `/tmp/screenshot-${String(count++).padStart(16, 'a')}.png`
const printed = async (command: string) => (await desktop.commands.run(command)).stdout
/** No process of Linux has such an id. */
const isByService = (pid: number) => pid >= 2 ** 22

/** Runs the command of `screenshot()`, and returns whether the service did its work. */
async function take(on: Desktop, path: string): Promise<boolean> {
  const command = await on.commands.run(`scrot --pointer ${path}`, { background: true })
  await command.wait()
  return isByService(command.pid)
}

/** The first one is always taken by the program, while the service finds out about it. */
const untilByService = (on: Desktop) => waitFor(() => take(on, freshPath()))

test('the service takes the picture, and its file is in the machine', async () => {
  await untilByService(desktop)
  const path = freshPath()
  assert.ok(await take(desktop, path))
  const inside = Buffer.from(await printed(`base64 ${path}`), 'base64')
  const read = await desktop.files.read(path, { format: 'bytes' })
  assert.ok(inside.equals(read))
  const { width, height } = decode(inside)
  assert.deepEqual([width, height], [1024, 768])
  assert.equal(await printed(`stat -c '%U %G %a' ${path}`), 'user user 644\n')
})

test('it shows what the program shows, with the pointer', async () => {
  await desktop.moveMouse(400, 300)
  const path = freshPath()
  await waitFor(async () => {
    const by = await desktop.commands.run('scrot --pointer --overwrite /tmp/program.png', {
      background: true,
    })
    assert.ok(!isByService(by.pid))
    await by.wait()
    const program = decode(await desktop.files.read('/tmp/program.png', { format: 'bytes' }))
    const ours = decode(await desktop.screenshot())
    return differenceOf(program, ours) < 0.0005
  })
  assert.ok(await take(desktop, path))
  const before = decode(await desktop.files.read(path, { format: 'bytes' }))
  await desktop.moveMouse(700, 500)
  assert.ok(differenceOf(before, decode(await desktop.screenshot())) > 0)
})

test('it shows what was drawn before, even if that was drawn just now', async () => {
  for (let round = 0; round < 8; round++) {
    const colour = [round * 25, 255 - round * 25, 100]
    const hex = Buffer.from(colour).toString('hex')
    await desktop.commands.run(`hsetroot -solid '#${hex}'`)
    const { data, channels, width } = decode(await desktop.screenshot())
    const at = (400 * width + 5) * channels
    assert.deepEqual([...data.subarray(at, at + 3)], colour, `round ${round}`)
  }
})

test('its end is in the event log like that of other commands', async () => {
  const ends = async () => {
    const query = { types: 'shell.exited', subject: desktop.sandboxId, order: 'newest', limit: 1 } as const
    return (await service.client.listEvents(query)).events[0]?.id
  }
  const before = await ends()
  assert.ok(await take(desktop, freshPath()))
  await waitFor(async () => (await ends()) !== before)
})

test('a file that exists is left alone, as the program does', async () => {
  const path = freshPath()
  await desktop.commands.run(`echo kept > ${path}`)
  assert.ok(!(await take(desktop, path)))
  assert.equal(await printed(`cat ${path}`), 'kept\n')
  assert.match(await printed(`ls ${path.replace('.png', '_000.png')}`), /_000/)
})

test('a failure is the one of the program', async () => {
  await desktop.commands.run('sudo chmod 755 /tmp')
  await assert.rejects(desktop.screenshot(), CommandExitError)
  await desktop.commands.run('sudo chmod 1777 /tmp')
  assert.ok(await take(desktop, freshPath()))
})

test('a file that was changed after the picture is read as it is then', async () => {
  for (const change of [
    (path: string) => desktop.files.write(path, 'written'),
    (path: string) => desktop.commands.run(`echo -n written > /tmp/other && mv /tmp/other ${path}`),
  ]) {
    const path = freshPath()
    assert.ok(await take(desktop, path))
    await change(path)
    assert.equal(await desktop.files.read(path), 'written')
  }
})

test('many at once are as many files', async () => {
  const paths = Array.from({ length: 12 }, freshPath)
  await Promise.all(paths.map(path => take(desktop, path)))
  for (const path of paths) {
    const { width } = decode(await desktop.files.read(path, { format: 'bytes' }))
    assert.equal(width, 1024)
  }
})

test('a machine that has another program of this name runs that', async () => {
  const own = await another()
  const script = '#!/bin/sh\necho mine > "$2"\n'
  await own.files.write('/home/user/scrot', script)
  await own.commands.run('sudo install /home/user/scrot /usr/local/bin/scrot')
  for (let round = 0; round < 3; round++)
    assert.equal(Buffer.from(await own.screenshot()).toString(), 'mine\n')
  await own.kill()
})

test('a killed sandbox takes no picture', async () => {
  await desktop.kill()
  await assert.rejects(desktop.screenshot())
})
