import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { after, afterEach, before, describe, it } from 'node:test'
import type { Machine } from '../../../contract/machine.ts'
import type { MachineSpec } from '../../../contract/spec.ts'
import type { VolumeMount } from '../../../contract/volumes.ts'
import type { LocalEngine } from '../local-engine.ts'
import { disksOfVolumes } from '../machine-paths.ts'
import { mountsBelow } from '../rootfs/mounts.ts'
import { type TestEngine, testEngine, testSpec } from '../test-engine.ts'
import { leftovers } from '../test-leftovers.ts'
import { asRoot, asUser, isCode, run } from './test-scripts.ts'

for (const runtime of ['runc', 'runsc'])
  describe(`volumes of machines with ${runtime}`, { timeout: 600_000 }, () => {
    let test: TestEngine
    let engine: LocalEngine
    let count = 0
    const machines = new Set<Machine>()

    const volume = async (sizeMiB = 64) => {
      const id = `v-${++count}`
      return { id, handle: await engine.volumes.create({ id, sizeMiB }) }
    }
    const start = async (volumes: readonly VolumeMount[], more: Partial<MachineSpec> = {}) => {
      const machine = await engine.open(await engine.create(testSpec({ diskMiB: 256, volumes, ...more })))
      machines.add(machine)
      return machine
    }
    const end = async (machine: Machine) => {
      machines.delete(machine)
      await engine.destroy(machine.handle)
    }
    const again = async (machine: Machine) => {
      machines.delete(machine)
      const opened = await engine.open(machine.handle)
      machines.add(opened)
      return opened
    }

    before(async () => {
      test = await testEngine({ runtime })
      engine = test.open()
    })
    afterEach(async () => {
      for (const machine of [...machines]) await end(machine)
      assert.deepEqual(await leftovers(engine.settings), [])
      for (const { handle } of await engine.volumes.list()) await engine.volumes.remove(handle)
      assert.deepEqual(await readdir(disksOfVolumes(engine.settings)), [])
      assert.deepEqual(await readdir(engine.settings.volumesDir), [])
    })
    after(async () => {
      await engine?.close()
      await test?.dispose()
    })

    it('keep their files, with their owners, when machines end', async () => {
      const { id } = await volume()
      const path = '/home/user/data/deep'
      const one = await start([{ id, path }])
      assert.equal(await asUser(one, `stat -c '%U %a' ${path}; ls -A ${path}`), 'user 755\n')
      await asUser(one, `echo kept > ${path}/mine; mkdir ${path}/folder`)
      await asRoot(one, `echo root > ${path}/roots; chown 33:33 ${path}/folder; chmod 1777 ${path}/folder`)
      await end(one)
      const other = await start([
        { id: (await volume()).id, path: '/srv/other' },
        { id, path: '/srv/data' },
      ])
      assert.equal(
        await asUser(other, "cd /srv/data; cat mine; stat -c '%n %u:%g %a' mine roots folder"),
        'kept\nmine 1000:1000 644\nroots 0:0 644\nfolder 33:33 1777\n',
      )
      await asUser(other, 'echo more >> /srv/data/mine; echo x > /srv/other/x')
      assert.equal(await asUser(other, 'ls /srv/other'), 'x\n')
      const [listed] = (await test.open().volumes.list()).filter(listed => listed.id === id)
      assert.ok(listed?.usedMiB !== undefined && listed.usedMiB < 8, `${listed?.usedMiB} MiB`)
    })

    it('are still there after a restart and after a stop, and are not part of snapshots', async () => {
      const { id } = await volume()
      let machine = await start([{ id, path: '/srv/data' }])
      await asUser(machine, 'echo one > /srv/data/file')
      await engine.restart(machine.handle)
      machine = await again(machine)
      assert.equal(await asUser(machine, 'cat /srv/data/file'), 'one\n')
      const { handle } = await engine.snapshots.take(machine.handle, { id: 'saved' })
      await engine.stop(machine.handle)
      assert.deepEqual(
        (await mountsBelow(engine.settings.runDir)).filter(path => path.includes(`/${id}`)),
        [],
      )
      await engine.restart(machine.handle)
      machine = await again(machine)
      assert.equal(await asUser(machine, 'cat /srv/data/file'), 'one\n')
      await engine.snapshots.restore(machine.handle, handle)
      machine = await again(machine)
      assert.equal(await asUser(machine, 'cat /srv/data/file'), 'one\n')
      const fork = await engine.open(await engine.snapshots.create(handle, testSpec({ diskMiB: 256 })))
      machines.add(fork)
      assert.equal(await asRoot(fork, 'ls -A /srv/data'), '')
      await engine.snapshots.remove(handle)
    })

    it('have one writer or many readers, and readers cannot write as root either', async () => {
      const { id, handle } = await volume()
      const writer = await start([{ id, path: '/srv/data' }])
      await asUser(writer, 'echo one > /srv/data/file')
      for (const readOnly of [false, true])
        await assert.rejects(start([{ id, path: '/srv/data', readOnly }]), isCode('STATE'))
      await assert.rejects(engine.volumes.remove(handle), isCode('STATE'))
      // A machine that does not run has it all the same.
      await engine.stop(writer.handle)
      await assert.rejects(
        test.open().create(testSpec({ volumes: [{ id, path: '/srv/data' }] })),
        isCode('STATE'),
      )
      await end(writer)
      const readers = await Promise.all(
        ['/srv/a', '/srv/b'].map(path => start([{ id, path, readOnly: true }])),
      )
      for (const [at, reader] of readers.entries()) {
        const path = ['/srv/a', '/srv/b'][at]
        assert.equal(await asUser(reader, `cat ${path}/file`), 'one\n')
        for (const script of [
          `echo two > ${path}/file`,
          `touch ${path}/new`,
          `chmod 777 ${path}`,
          `rm ${path}/file`,
          `mount -o remount,rw ${path} && touch ${path}/new`,
          `mount --bind ${path} /mnt && mount -o remount,bind,rw /mnt && touch /mnt/new`,
        ])
          assert.notEqual((await run(reader, script, 'root')).code, 0, script)
      }
      await assert.rejects(start([{ id, path: '/srv/data' }]), isCode('STATE'))
      assert.equal(await asUser(readers[0] as Machine, 'cat /srv/a/file'), 'one\n')
    })

    it('cannot be given to two writers that are created at once', async () => {
      const { id } = await volume()
      const results = await Promise.allSettled([0, 1, 2].map(() => start([{ id, path: '/srv/data' }])))
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
    })

    it('are full at their size, and leave the disk of the machine alone', async () => {
      const { id } = await volume(64)
      const machine = await start([{ id, path: '/srv/data' }])
      const { code, stderr } = await run(machine, 'head -c 80000000 /dev/zero > /srv/data/large', 'user')
      assert.notEqual(code, 0)
      assert.match(stderr, /No space left/)
      await asRoot(
        machine,
        'head -c 80000000 /dev/zero > /srv/large; rm /srv/large /srv/data/large; echo x > /srv/data/x',
      )
    })

    it('ignore setuid bits, and have no devices', async () => {
      const { id } = await volume()
      const machine = await start([{ id, path: '/srv/data' }])
      await asRoot(machine, 'cp /usr/bin/id /srv/data/id; chmod 4755 /srv/data/id')
      assert.equal(await asUser(machine, '/srv/data/id -u'), '1000\n')
      assert.notEqual(
        (await run(machine, 'mknod /srv/data/disk b 7 0 && cat /srv/data/disk', 'root')).code,
        0,
      )
    })

    it('do not lead out of a machine whose mount point is a link', async () => {
      const { id } = await volume()
      let machine = await start([{ id, path: '/srv/data' }])
      await asUser(machine, 'echo safe > /srv/data/file')
      // Only an unmounted folder can be replaced, so that the disk of another machine is prepared for it.
      const trap = await start([])
      await asRoot(
        trap,
        'mkdir -p /srv; ln -s ../../../../../../../../../../opt/inside /srv/data; mkdir -p /opt/inside',
      )
      const { handle } = await engine.snapshots.take(trap.handle, { id: 'trap' })
      await end(machine)
      const spec = testSpec({ diskMiB: 256, volumes: [{ id, path: '/srv/data' }] })
      machine = await engine.open(await engine.snapshots.create(handle, spec))
      machines.add(machine)
      assert.equal(await asUser(machine, 'cat /opt/inside/file /srv/data/file'), 'safe\nsafe\n')
      await engine.snapshots.remove(handle)
      assert.deepEqual(await readdir('/opt/inside').catch(() => []), [])
    })

    it('fail with a file in the way, and leave nothing', async () => {
      const { id } = await volume()
      const trap = await start([])
      await asRoot(trap, 'mkdir -p /srv; echo file > /srv/data')
      const { handle } = await engine.snapshots.take(trap.handle, { id: 'trap' })
      const spec = testSpec({ diskMiB: 256, volumes: [{ id, path: '/srv/data' }] })
      await assert.rejects(engine.snapshots.create(handle, spec))
      await engine.snapshots.remove(handle)
      await end(trap)
      assert.deepEqual(await leftovers(engine.settings), [])
    })
  })
