import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { installMissing } from '../../local/host/debian-packages.ts'
import { vmPackages } from './packages.ts'
import { probeKvm, rememberedKvm } from './probe-kvm.ts'

const patience = 300_000
const folder = await mkdtemp(join(tmpdir(), 'sandglass-probe-'))
after(() => rm(folder, { recursive: true, force: true }))
before(() => installMissing(vmPackages.filter(({ name }) => name === 'qemu-system-x86')))

/** A program in the place of QEMU. It counts how often it was started. */
async function standIn(name: string, script: string) {
  const command = join(folder, name)
  const starts = join(folder, `${name}.starts`)
  await writeFile(command, `#!/bin/sh\necho >> ${starts}\n${script}\n`)
  await chmod(command, 0o755)
  return { command, starts: async () => (await readFile(starts, 'utf8')).length }
}

test('the guest of the probe reaches its end on a whole processor, which QEMU emulates here', async () => {
  assert.deepEqual(await probeKvm({ accelerator: 'tcg', timeoutMs: patience }), { works: true })
})

test('a KVM that stops the guest is not waited for', async () => {
  // What QEMU prints where KVM has to emulate an instruction that it does not know.
  const { command } = await standIn(
    'stopping',
    'echo "KVM internal error. Suberror: 1" >&2; echo "emulation failure" >&2; exec sleep 100000',
  )
  assert.deepEqual(await probeKvm({ command, timeoutMs: patience }), {
    works: false,
    reason: 'it cannot run the instructions of a 64-bit kernel',
  })
})

test('the reason that QEMU gives is reported without its warnings', async () => {
  const { command } = await standIn(
    'refusing',
    'echo "qemu-system-x86_64: warning: host lacks a feature" >&2; echo "qemu-system-x86_64: -accel kvm: failed to initialize kvm: No such device" >&2; exit 1',
  )
  assert.deepEqual(await probeKvm({ command, timeoutMs: patience }), {
    works: false,
    reason: '-accel kvm: failed to initialize kvm: No such device',
  })
})

test('a guest that crashes, one that hangs, and a QEMU that is missing do not count as KVM that works', async () => {
  const { command: crashing } = await standIn('crashing', 'exit 0')
  assert.deepEqual(await probeKvm({ command: crashing, timeoutMs: patience }), {
    works: false,
    reason: 'a guest crashed (0)',
  })
  const { command: hanging } = await standIn('hanging', 'exec sleep 100000')
  assert.deepEqual(await probeKvm({ command: hanging, timeoutMs: 50 }), {
    works: false,
    reason: 'a guest did not end within 0.05 s',
  })
  const missing = await probeKvm({ command: join(folder, 'missing'), timeoutMs: patience })
  assert.match(missing.works ? '' : missing.reason, /cannot be run: .*ENOENT/)
})

test('a finding is remembered until the host is started anew, and one that may change is not', async () => {
  const { command, starts } = await standIn('working', 'exit 33')
  const cache = join(folder, 'run')
  for (let times = 0; times < 3; times++)
    assert.deepEqual(await rememberedKvm(cache, { command, timeoutMs: patience }), { works: true })
  assert.equal(await starts(), 1)
  const file = join(cache, 'kvm.json')
  const { key, ...rest } = JSON.parse(await readFile(file, 'utf8'))
  await writeFile(file, JSON.stringify({ ...rest, key: `another boot ${key}` }))
  await rememberedKvm(cache, { command, timeoutMs: patience })
  assert.equal(await starts(), 2)

  const denied = await standIn(
    'denied',
    'echo "Could not access KVM kernel module: Permission denied" >&2; exit 1',
  )
  const other = join(folder, 'other')
  for (let times = 0; times < 2; times++) {
    const found = await rememberedKvm(other, { command: denied.command, timeoutMs: patience })
    assert.match(found.works ? '' : found.reason, /Permission denied/)
  }
  assert.equal(await denied.starts(), 2)
})
