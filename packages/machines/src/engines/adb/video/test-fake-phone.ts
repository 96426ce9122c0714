import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import type { Capture } from '../../../screens/adb/screencap.ts'
import { phoneEngine, phoneSpec } from '../test-phone-engine.ts'
import { ScrcpyServer } from './scrcpy-server.ts'
import { FakeScrcpy } from './test-fake-scrcpy.ts'
import { TestWatcher } from './test-watcher.ts'

/** Creates a fake phone with a scrcpy server, claimed by a tenant, and a watcher for its screen. */
export async function fakePhone(t: TestContext, screen: Capture, decoder = 'ffmpeg') {
  const reasons: string[] = []
  const serverFile = randomBytes(90_000)
  const server = new ScrcpyServer(serverFile)
  const { engine, fakes } = await phoneEngine(t, ['healthy'], {
    video: { server, decoder },
    tell: line => reasons.push(line),
  })
  const phone = new FakeScrcpy(fakes[0] ?? assert.fail(), screen)
  const machine = await engine.open(await engine.create(phoneSpec()))
  return {
    phone,
    watcher: new TestWatcher(machine.screen ?? assert.fail()),
    reasons,
    serverFile,
    server,
    machine,
  }
}

/** Counts the decoders that this process runs. */
export async function decoders(): Promise<number> {
  let count = 0
  for (const name of await readdir('/proc')) {
    const stat = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : ''
    const [, program, state, parent] = /^\d+ \((.*)\) (\w) (\d+)/.exec(stat) ?? []
    if (program === 'ffmpeg' && state !== 'Z' && Number(parent) === process.pid) count++
  }
  return count
}
