import { setTimeout as pause } from 'node:timers/promises'
import { MachineError } from '../../../contract/errors.ts'

const pauseMs = 100
const maxTries = 300

/** Repeats what Incus refuses while another operation on the instance is under way. */
export async function unlessBusy<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; ; tries++)
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof MachineError && error.code === 'STATE') || tries === maxTries) throw error
      await pause(pauseMs)
    }
}
