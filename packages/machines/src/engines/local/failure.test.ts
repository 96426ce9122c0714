import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it, test } from 'node:test'
import { waitFor } from '../../testing/wait-for.ts'
import { idOf } from './handle.ts'
import { machinePaths } from './machine-paths.ts'
import { findInit } from './oci/init-process.ts'
import type { LocalEngineOptions } from './options.ts'
import { testEngine, testSpec } from './test-engine.ts'
import { leftovers } from './test-leftovers.ts'

describe('nothing of a machine is left', () => {
  const cases: Readonly<Record<string, Partial<LocalEngineOptions>>> = {
    'when the runtime fails': { runtime: 'false' },
    'when there is no runtime': { runtime: 'no-such-runtime' },
    'when the desktop is not ready in time': { readyTimeoutMs: 40 },
  }
  for (const [what, options] of Object.entries(cases)) {
    it(what, async () => {
      const test = await testEngine(options)
      try {
        const engine = test.open()
        await assert.rejects(engine.create(testSpec()))
        assert.deepEqual(await leftovers(engine.settings), [])
        await engine.close()
      } finally {
        await test.dispose()
      }
    })
  }

  it('when the runtime starts the machine and then reports a failure', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
    const runtime = join(folder, 'runtime')
    await writeFile(runtime, '#!/bin/sh\nrunc "$@"\ncase "$*" in *" run "*) exit 1;; esac\n')
    await chmod(runtime, 0o755)
    const test = await testEngine({ runtime })
    try {
      const engine = test.open()
      await assert.rejects(engine.create(testSpec()), /could not start/)
      assert.deepEqual(await leftovers(engine.settings), [])
      await engine.close()
    } finally {
      await test.dispose()
      await rm(folder, { recursive: true, force: true })
    }
  })

  it('after a machine was killed from outside, reported and destroyed', async () => {
    const test = await testEngine()
    try {
      const engine = test.open()
      const handle = await engine.create(testSpec())
      const machine = await engine.open(handle)
      const init = await findInit(machinePaths(engine.settings, idOf(handle)))
      assert.ok(init)
      process.kill(init.pid, 'SIGKILL')
      const death = await machine.died
      assert.deepEqual(death, { reason: 'the first process of the machine ended', orderly: false })
      await engine.destroy(handle)
      assert.deepEqual(await leftovers(engine.settings), [])
      await engine.close()
    } finally {
      await test.dispose()
    }
  })
})

test('reading or writing a file and looking at the screen fail when the machine ends', async () => {
  const { open, dispose } = await testEngine()
  try {
    const engine = open()
    const handle = await engine.create(testSpec())
    const machine = await engine.open(handle)
    await machine.files.write('small.txt', Buffer.from('a line'))
    const opened = await machine.files.open('small.txt')
    const never = new Readable({ read() {} })
    never.push('the beginning')
    const written = assert.rejects(machine.files.write('folder/never.txt', never), { code: 'STATE' })
    // As soon as the incomplete file is there, the machine is writing it.
    await waitFor(
      async () => (await machine.files.list('folder').catch(() => undefined))?.entries.length === 1,
    )
    const init = await findInit(machinePaths(engine.settings, idOf(handle)))
    assert.ok(init)
    process.kill(init.pid, 'SIGKILL')
    await machine.died
    await written
    await assert.rejects(text(opened.read()), { code: 'STATE', message: 'the machine closed the connection' })
    await assert.rejects(machine.screen.look(), { code: 'STATE' })
    await assert.rejects(machine.screen.input(), { code: 'STATE' })
    await engine.destroy(handle)
    await engine.close()
  } finally {
    await dispose()
  }
})
