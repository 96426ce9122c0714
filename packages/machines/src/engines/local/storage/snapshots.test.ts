import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, rename, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { MachineError } from '../../../contract/errors.ts'
import type { MachineHandle } from '../../../contract/handle.ts'
import type { Machine } from '../../../contract/machine.ts'
import type { SnapshotHandle } from '../../../contract/snapshots.ts'
import { idOf } from '../handle.ts'
import type { LocalEngine } from '../local-engine.ts'
import { savedDisks } from '../machine-paths.ts'
import { cgroupLayout, processesOf } from '../oci/cgroups.ts'
import { Containers } from '../oci/containers.ts'
import { readRecord, writeRecord } from '../records.ts'
import { type TestEngine, testEngine, testSpec } from '../test-engine.ts'
import { leftovers } from '../test-leftovers.ts'
import { isVolume } from './disk-volume.ts'
import { savedDiskPath } from './saved-records.ts'

const diskMiB = 512

/** Every kind of file that a machine can have, in a folder that contains nothing else. */
const manyKinds = `
  set -e; umask 022; mkdir -p /srv/kinds; cd /srv/kinds
  echo one > plain; ln plain hard; ln -s plain soft; ln -s /no/such/place dangling
  truncate -s 64M sparse; printf end >> sparse
  mkdir -m 2775 folder; mkdir empty; mkfifo pipe; cp /bin/true setuid; chmod 4755 setuid
  chown user:user folder; su user -c 'echo mine > folder/own'
  python3 - <<'P'
import os, socket
socket.socket(socket.AF_UNIX).bind('socket')
os.setxattr('plain', 'user.colour', b'blue')
open('n' * 255, 'w').write('long')
open(b'not \\xff utf-8', 'w').write('bytes')
os.utime('plain', ns=(1_000_000_000_123_456_789, 1_000_000_000_987_654_321))
P
  rm -rf /usr/share/fonts/truetype; mkdir /usr/share/fonts/truetype; echo again > /usr/share/fonts/truetype/again`

/** Everything that tells two trees apart. */
const describeTree = `
  cd /; find srv/kinds usr/share/fonts home etc/* -xdev ! -path '*/.cache*' ! -name hostname ! -name hosts ! -name resolv.conf \\
    -printf '%p %y %m %U:%G %n %s %b %T@ %l\\n' | sort
  find srv/kinds -type f -exec sha256sum {} + | sort
  python3 -c "import os; print(os.getxattr('/srv/kinds/plain', 'user.colour'))"`

describe('saved disks of machines', { timeout: 300_000 }, () => {
  let test: TestEngine
  let engine: LocalEngine
  let source: Machine
  let count = 0

  const asRoot = async (machine: Machine, script: string) => {
    const running = await machine.exec({ executable: 'sh', args: ['-c', script], user: 'root' })
    const [stdout, stderr] = await Promise.all([text(running.stdout), text(running.stderr)])
    const { code } = await running.exited
    assert.equal(code, 0, `${script}: ${stderr}`)
    return stdout
  }
  const start = async (snapshot: SnapshotHandle) =>
    await engine.open(await engine.snapshots.create(snapshot, testSpec({ diskMiB })))
  const save = async (machine: MachineHandle = source.handle) =>
    await engine.snapshots.take(machine, { id: `s-${++count}` })
  const freeMiB = async () => {
    const { bavail, bsize } = await statfs(engine.settings.disksDir)
    return (bavail * bsize) / 1024 / 1024
  }

  before(async () => {
    test = await testEngine()
    engine = test.open()
    source = await engine.open(await engine.create(testSpec({ diskMiB })))
    await asRoot(source, manyKinds)
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  it('are the beginning of machines that have every file, and are independent of each other', async () => {
    const treeOf = async (machine: Machine) => (await asRoot(machine, describeTree)).split('\n')
    const wanted = await treeOf(source)
    assert.ok(wanted.length > 20)
    const { handle, pauseMs, sizeMiB } = await save()
    assert.ok(pauseMs > 0 && sizeMiB > 0 && sizeMiB < diskMiB, `${pauseMs} ms, ${sizeMiB} MiB`)
    await asRoot(source, 'echo later > /srv/kinds/plain')
    const machines = await Promise.all([start(handle), start(handle), start(handle)])
    for (const machine of machines) {
      const found = await treeOf(machine)
      const [missing, more] = [wanted, found].map(
        (lines, i) => new Set(lines.filter(line => ![found, wanted][i]?.includes(line))),
      )
      assert.deepEqual({ missing, more }, { missing: new Set(), more: new Set() })
    }
    const [one, other] = machines
    assert.ok(one && other)
    await asRoot(one, 'echo one > /srv/own; su user -c "echo mine > /home/user/mine"')
    assert.equal(await asRoot(one, 'stat -c %U /srv/own /home/user/mine'), 'root\nuser\n')
    assert.equal(await asRoot(other, 'cat /srv/kinds/plain; ls /srv'), 'one\nkinds\n')
    assert.equal((await asRoot(one, 'hostname')).trim(), idOf(one.handle))
    assert.match(await asRoot(one, 'cat /etc/hosts'), new RegExp(idOf(one.handle)))
    await engine.snapshots.remove(handle)
    await engine.restart(one.handle)
    const again = await engine.open(one.handle)
    assert.equal(await asRoot(again, 'cat /srv/own /srv/kinds/plain'), 'one\none\n')
    for (const machine of machines) await engine.destroy(machine.handle)
  })

  it('are saved while programs write, so that files are as they were at one moment', async () => {
    // The second file is only written after the first, so it is never ahead.
    const script = `cd /srv; for n in $(seq 1 100000); do
      echo $n > one.new; mv one.new one; sync one; echo $n > two.new; mv two.new two; sync two; done`
    const writer = await source.exec({ executable: 'sh', args: ['-c', script], user: 'root' })
    await asRoot(source, 'until [ -e /srv/two ]; do sleep 0.01; done')
    for (let round = 0; round < 3; round++) {
      const { handle } = await save()
      const machine = await start(handle)
      const [one, two] = (await asRoot(machine, 'cat /srv/one /srv/two')).trim().split('\n').map(Number)
      assert.ok(one !== undefined && two !== undefined && one - two <= 1 && one >= two, `${one} and ${two}`)
      await engine.destroy(machine.handle)
      await engine.snapshots.remove(handle)
    }
    writer.kill()
    await asRoot(source, 'echo still writes > /srv/after; sync')
  })

  it('are saved of machines that are paused or stopped', async () => {
    await engine.pause(source.handle)
    const paused = await save()
    await engine.resume(source.handle)
    await engine.stop(source.handle)
    assert.equal((await engine.inspect(source.handle)).status, 'stopped')
    const group = new Containers(engine.settings).groupOf(idOf(source.handle))
    assert.deepEqual(await processesOf(cgroupLayout(), group), [])
    const stopped = await save()
    await engine.restart(source.handle)
    source = await engine.open(source.handle)
    for (const { handle } of [paused, stopped]) {
      const machine = await start(handle)
      assert.equal(await asRoot(machine, 'cat /srv/after'), 'still writes\n')
      await engine.destroy(machine.handle)
      await engine.snapshots.remove(handle)
    }
    assert.equal(await asRoot(source, 'cat /srv/after'), 'still writes\n')
  })

  it('have what was written before a stop, even while another process still sees the mounts of the machine', async () => {
    const machine = await engine.open(await engine.create(testSpec({ diskMiB })))
    // It has copies of all mounts of this machine, as programs that are being confined do.
    const own = join(engine.settings.runDir, 'm', idOf(machine.handle))
    const script = `grep -o ' /run/sandglass/[^ ]*' /proc/self/mounts | grep -v ' ${own}/' | tac |
      xargs -r -n 1 umount -l; echo ready; exec sleep 600`
    const holder = spawn('unshare', ['--mount', 'sh', '-c', script])
    try {
      await once(holder.stdout, 'data')
      await asRoot(machine, 'echo written > /srv/written')
      machine.close()
      await engine.stop(machine.handle)
      const copy = await start((await save(machine.handle)).handle)
      assert.equal(await asRoot(copy, 'cat /srv/written'), 'written\n')
      await engine.destroy(copy.handle)
    } finally {
      holder.kill('SIGKILL')
      await once(holder, 'exit')
    }
    await engine.destroy(machine.handle)
  })

  it('replace the disk of a machine, which stays the same machine', async () => {
    await asRoot(source, 'echo before > /srv/state')
    const { handle } = await save()
    await asRoot(source, 'echo after > /srv/state; rm -rf /srv/kinds')
    await engine.snapshots.restore(source.handle, handle)
    source = await engine.open(source.handle)
    assert.equal(await asRoot(source, 'cat /srv/state; hostname'), `before\n${idOf(source.handle)}\n`)
    assert.match(await asRoot(source, 'ls /srv/kinds'), /setuid/)
    await engine.snapshots.remove(handle)
    // Also of another machine, whose files have other owners on the disk.
    const other = await start((await save()).handle)
    const ofOther = await save(other.handle)
    await asRoot(source, 'echo after > /srv/state')
    await engine.snapshots.restore(source.handle, ofOther.handle)
    source = await engine.open(source.handle)
    assert.equal(await asRoot(source, 'cat /srv/state; stat -c %u /srv/state'), 'before\n0\n')
    await engine.restart(source.handle)
    source = await engine.open(source.handle)
    assert.equal(await asRoot(source, 'stat -c %U /srv/state /home/user'), 'root\nuser\n')
    await engine.destroy(other.handle)
  })

  it('leave a machine its disk when they cannot replace it, and replace it later if that was interrupted', async () => {
    await asRoot(source, 'echo saved > /srv/state')
    const { handle } = await save()
    await asRoot(source, 'echo newer > /srv/state')
    const id = idOf(source.handle)
    const file = savedDiskPath(engine.settings, `s-${count}`)
    await rename(file, `${file}.away`)
    await assert.rejects(engine.snapshots.restore(source.handle, handle))
    await engine.restart(source.handle)
    source = await engine.open(source.handle)
    assert.equal(await asRoot(source, 'cat /srv/state'), 'newer\n')
    await rename(`${file}.away`, file)
    // As a service leaves it that was killed while it restored the disk.
    await engine.stop(source.handle)
    const record = await readRecord(engine.settings, id)
    assert.ok(record)
    await writeRecord(engine.settings, { ...record, restoring: `s-${count}` })
    await engine.restart(source.handle)
    source = await engine.open(source.handle)
    assert.equal(await asRoot(source, 'cat /srv/state'), 'saved\n')
    assert.equal((await readRecord(engine.settings, id))?.restoring, undefined)
    await engine.snapshots.remove(handle)
  })

  it('take nearly no space of their own where the file system can clone files', async () => {
    assert.ok(isVolume(engine.settings), 'this host has no volume')
    await asRoot(source, 'head -c 100000000 /dev/urandom > /srv/large; sync')
    const { handle, sizeMiB } = await save()
    assert.ok(sizeMiB >= 95, `${sizeMiB} MiB`)
    const before = await freeMiB()
    const machines = await Promise.all([start(handle), start(handle)])
    const taken = (before - (await freeMiB())) / machines.length
    assert.ok(taken < 8, `${taken} MiB for each machine`)
    for (const machine of machines) await engine.destroy(machine.handle)
    await engine.snapshots.remove(handle)
    await asRoot(source, 'rm /srv/large')
  })

  it('cannot lead the host out of a machine', async () => {
    const tricks = [
      // The host writes these files.
      'ln -sf /proc/1/root/etc/motd /etc/hostname; ln -sf ../../../../../../tmp/out /etc/hosts',
      'chmod 000 /etc/resolv.conf; chattr +i /etc/resolv.conf 2>/dev/null; mkdir -p /etc/x; mknod /srv/null c 1 3 || true',
    ]
    for (const trick of tricks) {
      const victim = await engine.open(await engine.create(testSpec({ diskMiB })))
      await asRoot(victim, trick)
      const { handle } = await save(victim.handle)
      const machine = await start(handle)
      assert.equal((await asRoot(machine, 'cat /etc/hostname')).trim(), idOf(machine.handle))
      assert.equal(await asRoot(machine, 'find / -xdev -type b -o -xdev -type c | grep -v ^/dev || true'), '')
      for (const one of [victim, machine]) await engine.destroy(one.handle)
      await engine.snapshots.remove(handle)
    }
    const victim = await engine.open(await engine.create(testSpec({ diskMiB })))
    await asRoot(victim, 'cp -a /etc /etc.old; mv /etc /gone; ln -s /home/user /etc')
    const { handle } = await save(victim.handle)
    await assert.rejects(
      start(handle),
      error => error instanceof MachineError && error.code === 'INVALID' && /\/etc/.test(error.message),
    )
    await engine.destroy(victim.handle)
    await engine.snapshots.remove(handle)
  })

  it('are found until they are removed, and then leave nothing', async () => {
    const saved = await engine.snapshots.list()
    for (const { handle } of saved) await engine.snapshots.remove(handle)
    const owner = { installation: 'here', node: 'this', number: 7 }
    const { handle } = await engine.snapshots.take(source.handle, { id: 'kept', owner })
    await assert.rejects(
      engine.snapshots.take(source.handle, { id: 'kept' }),
      error => error instanceof MachineError && error.code === 'STATE',
    )
    const [listed, ...others] = await test.open().snapshots.list()
    assert.deepEqual([listed?.id, listed?.handle, listed?.owner, others], ['kept', handle, owner, []])
    for (let i = 0; i < 2; i++) await engine.snapshots.remove(handle)
    assert.deepEqual(await engine.snapshots.list(), [])
    assert.deepEqual(await readdir(savedDisks(engine.settings)), [])
    await assert.rejects(start(handle), error => error instanceof MachineError && error.code === 'NOT_FOUND')
    await engine.destroy(source.handle)
    assert.deepEqual(await leftovers(engine.settings), [])
  })
})
