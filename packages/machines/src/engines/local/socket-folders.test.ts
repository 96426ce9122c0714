import assert from 'node:assert/strict'
import { statfs } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import type { Machine } from '../../contract/machine.ts'
import { idOf } from './handle.ts'
import type { LocalEngine } from './local-engine.ts'
import { machinePaths } from './machine-paths.ts'
import { type TestEngine, testEngine, testSpec } from './test-engine.ts'
import { leftovers } from './test-leftovers.ts'

const folders = ['/run/sandglass/sockets', '/tmp/.X11-unix']

/** Nests folders and creates files until it fails, and tries to allocate space. Prints how much it got. */
const fill = `
import os, sys
os.chdir(sys.argv[1])
allocated = 0
with open('large', 'wb') as file:
    try:
        for _ in range(64):
            os.posix_fallocate(file.fileno(), allocated, 1 << 20)
            allocated += 1 << 20
    except OSError: pass
inodes = 0
try:
    for _ in range(3000):
        os.mkdir('nested')
        inodes += 1
        os.chdir('nested')
except OSError: pass
print(allocated, inodes)
`

describe('the folders for sockets, which a guest can write to,', () => {
  let test: TestEngine
  let engine: LocalEngine
  let machine: Machine

  before(async () => {
    test = await testEngine()
    engine = test.open()
    machine = await engine.open(await engine.create(testSpec()))
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  const fillAll = async () => {
    const results: number[][] = []
    for (const folder of folders) {
      const run = await machine.exec({ executable: 'python3', args: ['-c', fill, folder], user: 'root' })
      results.push((await text(run.stdout)).trim().split(' ').map(Number))
    }
    return results
  }

  it('take no space and few inodes, none of them of the host', async () => {
    for (const [allocated = -1, inodes = -1] of await fillAll()) {
      assert.ok(allocated >= 0 && allocated < 1 << 20, `${allocated} bytes were allocated`)
      assert.ok(inodes >= 0 && inodes < 100, `${inodes} folders were created`)
    }
    const { sockets, x11 } = machinePaths(engine.settings, idOf(machine.handle))
    const tmpfs = 0x01021994
    for (const folder of [sockets, x11]) assert.equal((await statfs(folder)).type, tmpfs)
  })

  it('are empty again after a restart, and the machine works', async () => {
    await fillAll()
    machine.close()
    await engine.restart(machine.handle)
    machine = await engine.open(machine.handle)
    const run = await machine.exec({ executable: 'sh', args: ['-c', 'cd "$0" && ls', folders[0] ?? ''] })
    assert.equal(await text(run.stdout), 'agent\nready\nrfb\n')
  })

  it('do not keep a machine from being destroyed, whatever is in them', async () => {
    await fillAll()
    await engine.destroy(machine.handle)
    assert.deepEqual(await leftovers(engine.settings), [])
  })
})
