import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../testing/make-sandbox.ts'
import { startMachineService } from '../testing/test-machines.ts'

test('engines are told to which organization each machine belongs', async t => {
  const { service, engine } = await startMachineService()
  const assign = t.mock.method(engine, 'assign')
  await makeSandbox(service)
  const [machine] = await engine.list()
  const assigned = () => assign.mock.calls.at(-1)?.arguments[0]?.get(machine?.id ?? '')
  await waitFor(async () => assigned() !== undefined)
  assert.equal(assigned(), service.expand('~').split('/').at(-1))
})
