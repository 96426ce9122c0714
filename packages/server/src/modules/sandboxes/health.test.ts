import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { RunningSandbox } from '../../testing/running-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const machines = await startMachineService()
const { service } = machines
const sandbox = await RunningSandbox.start(machines)
const path = `~/sandboxes/${sandbox.id}`

const signal = (program: string, name: string) =>
  sandbox.run(`for p in /proc/[0-9]*; do grep -q ^${program} $p/comm && kill -${name} $(basename $p); done`)
const click = {
  action: { type: 'mouse:click', x: { type: 'px', value: 90 }, y: { type: 'px', value: 90 }, button: 1 },
}

test('a sandbox whose screen does not respond reports the problem until the screen responds again', async () => {
  assert.equal((await service.get(`${path}/status`)).body.problem, undefined)
  await signal('Xtigervnc', 'STOP')
  const { status, body } = await service.post(`${path}/actions/execute`, click)
  assert.equal(status, 504, JSON.stringify(body))
  await waitFor(async () => (await service.get(`${path}/status`)).body.problem !== undefined)
  const { sandbox: shown } = (await service.get(path)).body
  assert.equal(shown.status, 'RUNNING')
  assert.equal(shown.problem.component, 'screen')
  assert.match(shown.problem.reason, /cannot be reached/)
  const [listed] = (await service.get('~/sandboxes')).body
  assert.deepEqual(listed.problem, shown.problem)
  const metrics = await service.operator('GET', '/metrics')
  assert.match(metrics.text, /^sandglass_machines_with_problem 1$/m)

  await signal('Xtigervnc', 'CONT')
  await waitFor(async () => (await service.get(`${path}/status`)).body.problem === undefined)
  await waitFor(async () => (await service.post(`${path}/actions/execute`, click)).status === 200)
})

test('a restarted component of a desktop is reported with its sandbox', async () => {
  await signal('openbox', 'KILL')
  await waitFor(async () => (await service.get(path)).body.sandbox.lastRestart !== undefined)
  const { component, reason, at } = (await service.get(path)).body.sandbox.lastRestart
  assert.equal(component, 'window manager')
  assert.match(reason, /ended .* and was started again/)
  assert.ok(Date.parse(at) > 0)
})
