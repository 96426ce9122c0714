import { MachineError } from '../../../contract/errors.ts'
import { type Instance, type KeptSpec, specOf } from './instance.ts'

/** The spec of a machine that runs, or is paused if that is all right. STATE otherwise. */
export function runningSpecOf(id: string, instance: Instance, mayBePaused = false): KeptSpec {
  const { status } = instance
  if (status === 'Frozen' && !mayBePaused)
    throw new MachineError('STATE', `The machine ${id} is paused; resume it.`)
  if (status !== 'Running' && status !== 'Frozen')
    throw new MachineError('STATE', `The machine ${id} does not run; restart it.`)
  const spec = specOf(instance)
  if (!spec) throw new MachineError('NOT_FOUND', `there is no machine ${id}`)
  return spec
}
