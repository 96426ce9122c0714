import { test } from 'node:test'
import { seeded } from '@sandglass/wire/testing'
import { environmentFaults } from './environment-faults.ts'
import { FaultRunner } from './experiment.ts'
import { addResult } from './results.ts'

const seed = Number(process.env['FAULT_SEED'] ?? 4780)
/** Limits the run to these faults, separated by commas. */
const only = process.env['FAULT_TARGETS']?.split(',')

for (const { name, prepare, inject } of environmentFaults)
  if (only?.includes(name) !== false)
    test(`the environment: ${name}`, { timeout: 1_200_000 }, async context => {
      context.diagnostic(`seed ${seed}`)
      const world = await prepare()
      const runner = new FaultRunner(world, seeded(seed))
      const result = await runner.run({
        target: 'environment',
        fault: name,
        inject: workload => inject(world, workload),
      })
      context.diagnostic(`restored in ${Math.round(result.restoredMs)} ms; ${result.refusals.join(', ')}`)
      await addResult(result)
      await world.installation.end()
    })
