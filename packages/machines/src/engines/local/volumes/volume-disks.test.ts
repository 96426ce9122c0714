import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { waitFor } from '../../../testing/wait-for.ts'
import { idOf } from '../handle.ts'
import { hostRoom } from '../host/host-room.ts'
import { runCommand } from '../host/run-command.ts'
import type { LocalEngine } from '../local-engine.ts'
import { type TestEngine, testEngine, testSpec } from '../test-engine.ts'
import { leftovers } from '../test-leftovers.ts'
import { asUser, isCode, run } from './test-scripts.ts'
import { volumeDiskPath } from './volume-records.ts'

describe('a volume', { timeout: 300_000 }, () => {
  let test: TestEngine
  let engine: LocalEngine
  before(async () => {
    test = await testEngine({ diskOvercommit: 1 })
    engine = test.open()
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  it('has its space from the start, which counts as promised', async () => {
    const before = await hostRoom(engine.settings)
    const owner = { installation: 'here', node: 'this', number: 7 }
    const handle = await engine.volumes.create({ id: 'kept', sizeMiB: 128, owner })
    const room = await hostRoom(engine.settings)
    assert.ok(room.machines.promisedMiB - before.machines.promisedMiB >= 128)
    assert.ok(room.machines.takenMiB - before.machines.takenMiB >= 128)
    // Repeating it changes nothing.
    assert.deepEqual(await engine.volumes.create({ id: 'kept', sizeMiB: 128, owner }), handle)
    const [listed, ...others] = await test.open().volumes.list()
    assert.deepEqual([listed?.id, listed?.handle, listed?.owner, others], ['kept', handle, owner, []])
    await assert.rejects(engine.volumes.create({ id: 'huge', sizeMiB: 1 << 24 }), isCode('HOST_FULL'))
    await assert.rejects(engine.volumes.create({ id: '../x', sizeMiB: 64 }), isCode('INVALID'))
    for (let i = 0; i < 2; i++) await engine.volumes.remove(handle)
    assert.deepEqual(await engine.volumes.list(), [])
  })

  it('is mounted at sensible paths only', async () => {
    await engine.volumes.create({ id: 'one', sizeMiB: 64 })
    const refused = [
      ...[
        '/',
        '',
        'data',
        '/data/',
        '//data',
        '/a/../b',
        '/a/.',
        '/proc',
        '/proc/1',
        '/etc',
        '/usr/local/x',
        '/lib64',
      ],
      ...['/run/x', '/tmp/.X11-unix', '/home', '/home/user', '/var', '/a\nb', '/a\0b', `/${'x'.repeat(300)}`],
    ]
    for (const path of refused)
      await assert.rejects(
        engine.create(testSpec({ volumes: [{ id: 'one', path }] })),
        isCode('INVALID'),
        path,
      )
    const at = (...paths: string[]) => testSpec({ volumes: paths.map((path, n) => ({ id: `v${n}`, path })) })
    await assert.rejects(engine.create(at('/a', '/a/b')), isCode('INVALID'))
    await assert.rejects(engine.create(at('/a/b', '/a')), isCode('INVALID'))
    await assert.rejects(
      engine.create(at(...'abcdefghi'.split('').map(name => `/${name}`))),
      isCode('INVALID'),
    )
    await assert.rejects(engine.create(at('/a')), isCode('NOT_FOUND'))
    const twice = ['/a', '/b'].map(path => ({ id: 'one', path }))
    await assert.rejects(engine.create(testSpec({ volumes: twice })), isCode('INVALID'))
  })

  it('is repaired and mounted again after the host lost power', async () => {
    const spec = testSpec({ volumes: [{ id: 'one', path: '/srv/data' }] })
    const handle = await engine.create(spec)
    await asUser(await engine.open(handle), 'echo kept > /srv/data/file; sync')
    await engine.stop(handle)
    // The file system was not unmounted, so its state is not clean. The kernel alone would leave it so.
    const disk = volumeDiskPath(engine.settings, 'one')
    // Programs that are being confined have copies of all mounts for a moment.
    const isUnmounted = async () => (await runCommand('losetup', ['--associated', disk])) === ''
    await waitFor(isUnmounted)
    await runCommand('debugfs', ['-w', '-R', 'set_super_value state 0', disk])
    await engine.restart(handle)
    const machine = await engine.open(handle)
    assert.equal(
      await asUser(machine, 'cat /srv/data/file; head -c 9000000 /dev/zero > /srv/data/more'),
      'kept\n',
    )
    assert.equal(idOf(machine.handle), spec.id)
    await engine.destroy(handle)
    await waitFor(isUnmounted)
    assert.match(await runCommand('dumpe2fs', ['-h', disk]), /Filesystem state: +clean\n/)
    assert.deepEqual(await leftovers(engine.settings), [])
  })
})

describe('a volume on a host without idmapped mounts', { timeout: 300_000 }, () => {
  it('has the owners that all machines share', async () => {
    const test = await testEngine({ mapOwners: false })
    const engine = test.open()
    try {
      await engine.volumes.create({ id: 'one', sizeMiB: 64 })
      const volumes = [{ id: 'one', path: '/srv/data' }]
      const first = await engine.create(testSpec({ volumes }))
      await asUser(await engine.open(first), 'echo kept > /srv/data/file')
      await engine.destroy(first)
      const second = await engine.create(
        testSpec({ volumes: [{ id: 'one', path: '/srv/data', readOnly: true }] }),
      )
      const machine = await engine.open(second)
      assert.equal(await asUser(machine, 'cat /srv/data/file; stat -c %U /srv/data/file'), 'kept\nuser\n')
      assert.notEqual((await run(machine, 'touch /srv/data/new', 'root')).code, 0)
      await engine.destroy(second)
      assert.deepEqual(await leftovers(engine.settings), [])
    } finally {
      await engine.close()
      await test.dispose()
    }
  })
})
