import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { MachineInstallation } from '../support/machine-installation.ts'
import { attacks } from './attacks.ts'
import { HostileWorld } from './hostile-world.ts'
import { machinesOnHost } from './residue.ts'
import { peakMemory, resetPeakMemory } from './service-memory.ts'

/** Selects the random frames. A failure prints it. */
const seed = Number(process.env['HOSTILE_SEED'] ?? 4780)
const seconds = Number(process.env['HOSTILE_SECONDS'] ?? 1)
const maxGrowth = 200 * 1024 * 1024

let installation: MachineInstallation
let world: HostileWorld

before(async () => {
  installation = await MachineInstallation.start()
  world = await HostileWorld.create(installation.credentials)
  // The first calls load code and open screens, which is not the attacker's doing.
  await world.neighbour.work(() => false)
})

for (const attack of attacks)
  test(`${attack.name} costs its neighbour nothing and can be deleted (seed ${seed})`, async () => {
    const { neighbour, hostile } = world
    const machines = await machinesOnHost(installation)
    const sandboxId = await world.createHostileSandbox()
    const { pid } = installation.service
    const memory = await resetPeakMemory(pid)

    let isOver = false
    const attacking = world.attack(attack, sandboxId, seconds, seed).finally(() => {
      isOver = true
    })
    const [answers, calls] = await Promise.all([attacking, neighbour.work(() => !isOver)])

    assert.ok(calls.length > 0)
    assert.ok(answers.length > 0)
    if (attack.program?.isImposter) assert.ok((await world.imposterConnections(sandboxId)) > 0)
    // The tenant learns that its machine misbehaves; the service has no fault of its own and keeps nobody waiting.
    // A mapped response that its guest breaks off is broken off for the caller too.
    const faults = attack.isMapped ? [500, 'hung'] : [0, 500, 'hung']
    for (const { status, body } of answers)
      assert.ok(!faults.includes(status), `${status} ${JSON.stringify(body)}`)
    const growth = (await peakMemory(pid)) - memory
    assert.ok(growth < maxGrowth, `the service grew by ${Math.round(growth / 2 ** 20)} MiB`)

    await hostile.deleteSandbox(sandboxId)
    await waitFor(async () => [...(await machinesOnHost(installation))].every(id => machines.has(id)))
  })

test('after all attacks the service is the same process, and has logged no fault of its own', () => {
  const { service } = installation
  assert.equal(process.kill(service.pid, 0), true)
  const errors = service.printed.split('\n').filter(line => /"level":(50|60)\b/.test(line))
  const own = errors.filter(line => !/"msg":"(machine|sandbox|mapping)\.[A-Z_]+"/.test(line))
  assert.deepEqual(own.slice(0, 3), [])
})
