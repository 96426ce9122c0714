import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Death, MachineHealth } from '@sandglass/machines/contract'
import { Responder } from '@sandglass/rpc'
import { type WorkerMethods, type WorkerNotices, workerMethods } from '../worker/methods.ts'
import { WorkerLink } from './worker-link.ts'

test('what a worker tells about machines that nobody has opened does not fill the memory', async () => {
  const [ofFront, ofWorker] = duplexPair()
  const handlers = {} as never
  const worker = new Responder<WorkerMethods, WorkerNotices>(ofWorker, { methods: workerMethods, handlers })
  const link = new WorkerLink({
    pid: 1,
    link: ofFront,
    admit: async () => {},
    dismiss: () => {},
    kill: () => {},
  })
  const deaths: Death[] = []
  const listener = {
    died: (death: Death) => void deaths.push(death),
    health: (_: MachineHealth) => {},
    ended: () => {},
  }
  const death = { reason: 'it ended', orderly: true }
  for (let machine = 0; machine < 5000; machine++) worker.tell('died', { machine: String(machine), death })
  for (let i = 0; i < 100; i++) await turn()
  for (const machine of ['0', '100', '3000', '4500', '4999']) link.listen(machine, listener)
  assert.deepEqual(deaths, [death, death])
  link.kill()
})
