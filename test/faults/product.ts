import { environmentFaults } from './environment-faults.ts'
import { type Fault, faults } from './faults.ts'
import { type Target, targets } from './targets.ts'

/** The faults that can be injected into a target. */
export function faultsOf(target: Target): Fault[] {
  return faults.filter(({ fitsThreads }) => fitsThreads || !target.areThreads)
}

/** One line of docs/reliability.md. */
export interface Promised {
  readonly target: string
  readonly fault: string
  readonly promisedSeconds: number
}

/** All combinations that the suite covers, with the promised time of each. */
export function product(): Promised[] {
  return [
    ...targets.flatMap(target =>
      faultsOf(target).map(fault => ({
        target: target.name,
        fault: fault.name,
        promisedSeconds: target.promisedSeconds,
      })),
    ),
    ...environmentFaults.map(({ name, promisedSeconds }) => ({
      target: 'environment',
      fault: name,
      promisedSeconds,
    })),
  ]
}
