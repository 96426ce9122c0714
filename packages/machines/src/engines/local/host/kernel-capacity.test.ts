import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { neededOf, raiseKernelCapacity } from './kernel-capacity.ts'

const settings = { maxMachines: 100 }

test('limits of the host that are too low for all machines are raised, and none is lowered', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  const present = new Map([
    ['kernel/pty/max', '4096\n'],
    ['kernel/pid_max', '4194304\n'],
    ['fs/file-max', '9223372036854775807\n'],
  ])
  try {
    for (const [name, text] of present) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    await raiseKernelCapacity(settings, folder)
    const read = (name: string) => readFile(join(folder, name), 'utf8')
    assert.equal(await read('kernel/pty/max'), String(neededOf(settings).get('kernel/pty/max')))
    assert.equal(await read('kernel/pid_max'), present.get('kernel/pid_max'))
    assert.equal(await read('fs/file-max'), present.get('fs/file-max'))
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('a host that does not allow it keeps its limits', async () => {
  await raiseKernelCapacity(settings, '/nowhere')
})
