import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { buildImage } from '@sandglass/machines/images'
import { settle } from '@sandglass/machines/local'
import { waitFor } from '@sandglass/machines/testing'
import { mountsBelow } from '../../packages/machines/src/engines/local/rootfs/mounts.ts'
import { cleanup } from '../../packages/server/src/testing/cleanup.ts'
import { testImages } from '../../packages/server/src/testing/test-machines.ts'
import { temporaryFolder } from '../support/service-process.ts'

test('Ctrl-C ends a soak early: it prints what it has measured, and leaves nothing but its log', async () => {
  await buildImage('minimal', { imagesDir: testImages })
  const folder = await temporaryFolder()
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'main.ts'), '--minutes', '60', '--every', '2', '--desktops', '0'],
    { env: { ...process.env, TMPDIR: folder, SANDGLASS_TEST_IMAGES: testImages } },
  )
  cleanup.defer(() => void child.kill('SIGKILL'))
  const printed = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    printed.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    printed.stderr += text
  })
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  await waitFor(() => child.exitCode !== null || /min: [1-9]\d* calls, 0 failed/.test(printed.stderr))
  const [name = ''] = (await readdir(folder)).filter(entry => !entry.includes('.'))
  // The names of what an engine has elsewhere depend on its folder, which must exist for that.
  const { runDir } = settle({ dataDir: join(folder, name, 'data', 'local'), uplink: 'none' })
  assert.ok((await mountsBelow(runDir)).length > 0)
  child.kill('SIGINT')
  assert.equal(await ended, 0, `${printed.stderr}\n${printed.stdout}`)
  assert.match(printed.stdout, /\| what \| at first \| at the end \|/)
  assert.match(printed.stdout, /No call failed/)
  assert.deepEqual(await mountsBelow(runDir), [])
  assert.ok(!existsSync(runDir) || (await readdir(runDir)).length === 0)
  const left = await readdir(folder)
  assert.deepEqual(left.sort(), [`${name}.log`, `${name}.samples`])
  for (const file of left) await rm(join(folder, file))
})
