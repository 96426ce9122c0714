import type { ListedMachine } from '../../../contract/engine.ts'
import { handleOf } from '../handle.ts'
import { type Instance, idOfFormer, idOfNext, specOf } from './instance.ts'
import type { InstanceNames } from './instance-names.ts'

/** The machines among instances. One whose disk is being replaced may have no instance of its own name. */
export function machinesOf(instances: readonly Instance[], names: InstanceNames): ListedMachine[] {
  const machines = new Map<string, ListedMachine>()
  for (const idOf of [idOfFormer, idOfNext, (name: string) => names.idOf(name)])
    for (const instance of instances) {
      const id = idOf(instance.name)
      if (id === undefined) continue
      const spec = specOf(instance)
      const { location: member } = instance
      machines.set(id, {
        id,
        handle: handleOf(id, names.ofHandle(id)),
        owner: spec?.owner,
        image: spec?.image,
        member,
      })
    }
  return [...machines.values()]
}
