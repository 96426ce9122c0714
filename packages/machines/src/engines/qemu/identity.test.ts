import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { output } from '../../contract/conformance/running.ts'
import type { MachineHandle } from '../../contract/handle.ts'
import type { Machine } from '../../contract/machine.ts'
import { defaultScreen } from '../../contract/spec.ts'
import { ask } from '../local/guest/agent-client.ts'
import { guestOf } from '../local/guest/guest.ts'
import { addressOf } from '../local/network/addresses.ts'
import { cgroupLayout } from '../local/oci/cgroups.ts'
import { readRecord } from '../local/records.ts'
import { identityOf } from './machine/identity.ts'
import type { QemuEngine } from './qemu-engine.ts'
import type { VmRecord } from './records.ts'
import { type TestVms, testVms, vmSpec } from './test-engine.ts'

/** Prints what distinguishes a machine, one line for each. The numbers are of this moment, the rest is of the machine. */
const whoAmI = `
import os, subprocess
read = lambda path: open(path).read().strip()
print(os.uname().nodename)
print(read('/etc/machine-id'))
print(read('/etc/hostname'))
print(subprocess.run(['ip', '-4', '-brief', 'addr', 'show', 'eth0'], capture_output=True, text=True).stdout.split()[2])
print(open('/dev/urandom', 'rb').read(16).hex())
print(os.urandom(16).hex())
print(read('/proc/sys/kernel/random/uuid'))
`

/** Starts processes until it may not, and prints how many there were. */
const forkAll = `
import os, signal
children = []
try:
    while len(children) < 5000:
        pid = os.fork()
        if not pid: signal.pause()
        children.append(pid)
except OSError: pass
for pid in children: os.kill(pid, 9)
print(len(children))
`

/** How far a guest's clock may be off, which includes the time until its answer arrives. */
const toleranceMs = 5000

describe('who a virtual machine is', () => {
  let test: TestVms
  let engine: QemuEngine
  let handles: MachineHandle[]
  let machines: Machine[]
  const dress = { env: { GREETING: 'hello there', LANG: 'C' }, sudo: false, pids: 100 }
  const wide = { width: 1024, height: 768 }
  /** The last one boots, since there is no template with its screen. */
  const specs = [vmSpec(), vmSpec(dress), vmSpec({ ...dress, screen: wide })]

  before(async () => {
    test = await testVms()
    engine = test.open()
    // One after the other, so that the second continues from the same memory after the first has done so.
    handles = []
    for (const spec of specs) handles.push(await engine.create(spec))
    machines = []
    for (const handle of handles) machines.push(await engine.open(handle))
  })
  after(async () => {
    await engine?.close()
    await test?.dispose()
  })

  const python = async (which: number, program: string, user = 'user') => {
    const spec = { executable: 'python3', args: ['-c', program], user }
    const { stdout, stderr, code } = await output(at(machines, which), spec)
    assert.equal(code, 0, stderr)
    return stdout.trim()
  }
  const sh = async (which: number, script: string, user = 'user') =>
    await output(at(machines, which), { executable: 'sh', args: ['-c', script], user })

  it('is different for two machines from one template, in its names, addresses and random numbers', async () => {
    const told = await Promise.all(
      [0, 1].map(async which => (await python(which, whoAmI, 'root')).split('\n')),
    )
    for (const [which, [nodename, machineId, hostname, address]] of told.entries()) {
      const spec = at(specs, which)
      const record = await readRecord<VmRecord>(engine.settings, spec.id)
      assert.deepEqual([nodename, hostname], [spec.id, spec.id])
      assert.equal(machineId, record?.machineId)
      assert.match(machineId ?? '', /^[0-9a-f]{32}$/)
      assert.equal(address, `${addressOf(record?.index ?? -1)}/32`)
    }
    // The kernel's boot_id is not among them: both continue the same boot of one kernel.
    const [one = [], other = []] = told
    assert.equal(one.length, 7)
    for (const [line, value] of one.entries()) assert.notEqual(value, other[line], `line ${line}`)
  })

  it('has no SSH host key of the machine that it began as', async () => {
    const spec = at(specs, 0)
    const keys = '/etc/ssh/ssh_host_ed25519_key'
    // The image has no SSH server. This stands in for the program that makes its keys.
    const generator = `#!/bin/sh\\nhead -c 16 /dev/urandom | od -An -tx1 > ${keys}; echo done > /etc/ssh/made\\n`
    const install = `mkdir -p /etc/ssh && printf '${generator}' > /usr/bin/ssh-keygen && chmod +x /usr/bin/ssh-keygen`
    assert.equal((await sh(0, `${install} && echo inherited > ${keys}`, 'root')).code, 0)
    const record = await readRecord<VmRecord>(engine.settings, spec.id)
    assert.ok(record)
    const adopt = async (isNew: boolean) => {
      const guest = guestOf(spec.id, engine.settings, cgroupLayout())
      ;(await ask(guest, identityOf(record, isNew))).socket.destroy()
    }
    await adopt(false)
    assert.equal(
      (await sh(0, `cat ${keys}`, 'root')).stdout,
      'inherited\n',
      'a machine that goes on keeps its keys',
    )
    await adopt(true)
    const made = `for i in $(seq 600); do [ ! -e /etc/ssh/made ] || break; sleep 0.1; done; cat ${keys}`
    assert.match((await sh(0, made, 'root')).stdout, /^( [0-9a-f]{2}){16}\n$/)
  })

  const assertClock = async (which: number, when: string) => {
    const startMs = Date.now()
    const guestMs = Number(await python(which, 'import time; print(round(time.time() * 1000))'))
    const isRight = guestMs > startMs - toleranceMs && guestMs < Date.now() + toleranceMs
    assert.ok(isRight, `${when}, the guest has ${guestMs}, and the host ${startMs} to ${Date.now()}`)
  }

  it('has the time of the host, also after it was paused', async () => {
    for (const which of [0, 1]) await assertClock(which, 'at first')
    // A kernel chooses its timer by itself. With this one it does not see how long it stood still.
    const timer = '/sys/devices/system/clocksource/clocksource0/current_clocksource'
    assert.equal((await sh(1, `echo acpi_pm > ${timer}; cat ${timer}`, 'root')).stdout, 'acpi_pm\n')
    const handle = at(handles, 1)
    await engine.pause(handle)
    // Longer than the tolerance, so that a clock that stood still would be wrong.
    await pause(toleranceMs * 1.5)
    await engine.resume(handle)
    await assertClock(1, 'after a pause')
  })

  it('has the environment and the screen of its spec, not those of the template', async () => {
    for (const which of [1, 2]) {
      assert.equal((await sh(which, 'echo "$GREETING $LANG"')).stdout, 'hello there C\n')
      const desktop = await sh(which, "tr '\\0' '\\n' < /proc/$(pgrep -x openbox)/environ", 'root')
      assert.match(desktop.stdout, /^GREETING=hello there$/m, 'the desktop has it, too')
    }
    assert.equal((await sh(0, 'echo "$GREETING"')).stdout, '\n')
    assert.deepEqual(await at(machines, 2).screen.size(), wide)
    assert.deepEqual(await at(machines, 1).screen.size(), defaultScreen)
  })

  it('lets nobody become root without sudo', async () => {
    assert.equal((await sh(0, 'sudo -n id -u')).stdout, '0\n')
    for (const which of [1, 2]) {
      const { code, stdout } = await sh(which, 'sudo -n id -u')
      assert.notEqual(code, 0)
      assert.equal(stdout, '')
    }
  })

  it('limits the number of processes in the guest', async () => {
    const [many, few] = await Promise.all([0, 1].map(async which => Number(await python(which, forkAll))))
    assert.ok(few && few > 10 && few <= dress.pids, `${few} processes`)
    assert.ok(many && many > dress.pids && many <= at(specs, 0).pids, `${many} processes`)
  })
})

function at<T>(list: readonly T[], index: number): T {
  const found = list[index]
  assert.ok(found !== undefined)
  return found
}
