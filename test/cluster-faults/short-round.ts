import { test } from 'node:test'
import { shortRound } from './faults.ts'
import { runFaults } from './run-faults.ts'

test('faults on a cluster with two fronts', { timeout: 900_000 }, async context => {
  await runFaults(context, { faults: shortRound, rounds: 1, checksEach: false })
})
