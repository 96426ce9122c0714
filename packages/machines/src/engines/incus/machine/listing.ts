import type { ListedMachine } from '../../../contract/engine.ts'
import { handleOf } from '../handle.ts'
import { type Instance, idOfFormer, idOfInstance, idOfNext, specOf } from './instance.ts'

/** The machines among instances. One whose disk is being replaced may have no instance of its own name. */
export function machinesOf(instances: readonly Instance[]): ListedMachine[] {
  const machines = new Map<string, ListedMachine>()
  for (const idOf of [idOfFormer, idOfNext, idOfInstance])
    for (const instance of instances) {
      const id = idOf(instance.name)
      if (id === undefined) continue
      const spec = specOf(instance)
      const { location: member } = instance
      machines.set(id, { id, handle: handleOf(id), owner: spec?.owner, image: spec?.image, member })
    }
  return [...machines.values()]
}
