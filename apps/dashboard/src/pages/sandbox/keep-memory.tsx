import type { Sandbox } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { useCall } from '../../app/calls.ts'

/** A box to tick whether programs are kept as well, named `memory`. Only virtual machines can do that, so only they have it. */
export function KeepMemory({ sandbox }: { sandbox: Sandbox }) {
  const { data: shapes } = useQuery(useCall('listShapes'))
  const shape = shapes?.find(({ name }) => name === sandbox.shapeName)
  if (shape?.virtualization !== 'KVM') return undefined
  return (
    <label className="flex items-center gap-2">
      <input type="checkbox" name="memory" className="size-4 accent-accent" />
      With memory, so that programs continue
    </label>
  )
}

/** What the box says, as a part of a request. */
export const memoryIn = (form: FormData): { memory?: boolean } => (form.has('memory') ? { memory: true } : {})
