import { test } from 'node:test'
import { clusterFaults } from './faults.ts'
import { runFaults } from './run-faults.ts'

/** The number of rounds in which all faults happen, as `npm run soak:tests` does. */
const rounds = Number(process.env['CLUSTER_FAULT_ROUNDS'] ?? 1)

test('all faults on a cluster with two fronts, one by one', { timeout: 14_400_000 }, async context => {
  await runFaults(context, { faults: clusterFaults, rounds, checksEach: true })
})
