import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '../../../testing/wait-for.ts'
import { cgroupLayout, groupOf, processesOf } from '../../local/oci/cgroups.ts'
import { QemuEngine } from '../qemu-engine.ts'
import { testVms, vmSpec } from '../test-engine.ts'

/** Whether a machine boots with KVM depends on the host, so this looks at what QEMU has open. */
test('QEMU opens KVM in its container, or the host is said to have none', async () => {
  const vms = await testVms()
  const engine = new QemuEngine({ ...vms.options, acceleration: 'kvm', readyTimeoutMs: 120_000 })
  try {
    const spec = vmSpec({ memoryMiB: 256 })
    const stop = new AbortController()
    const created = engine.create(spec, { signal: stop.signal }).then(
      () => undefined,
      (error: Error) => error,
    )
    if (existsSync('/dev/kvm')) {
      const group = groupOf(engine.settings.instance, spec.id)
      await waitFor(async () => (await openIn(group)).some(target => target.includes('kvm-vm')), 100_000)
      stop.abort()
      await created
    } else assert.match((await created)?.message ?? '', /no \/dev\/kvm/)
  } finally {
    await engine.close()
    await vms.dispose()
  }
})

/** What the processes of a group have open. */
async function openIn(group: string): Promise<string[]> {
  const found: string[] = []
  for (const pid of await processesOf(cgroupLayout(), group)) {
    const folder = `/proc/${pid}/fd`
    for (const fd of await readdir(folder).catch(() => []))
      found.push(await readlink(join(folder, fd)).catch(() => ''))
  }
  return found
}
