import { z } from 'zod'
import type { Egress, MachineSpec } from '../../../contract/spec.ts'

/** Machines and saved disks are both instances; their names tell them apart from each other and from what is not ours. */
const machinePrefix = 'm-'
export const instanceOf = (id: string) => `${machinePrefix}${id}`
export const idOfInstance = (name: string) =>
  name.startsWith(machinePrefix) ? name.slice(machinePrefix.length) : undefined

/** What was prepared before a machine is wanted keeps its name when it becomes one. */
const preparedPrefix = 'p-'
export const preparedOf = (name: string) => `${preparedPrefix}${name}`
export const isPreparedName = (name: string) => name.startsWith(preparedPrefix)

const savedPrefix = 's-'
export const savedOf = (id: string) => `${savedPrefix}${id}`
export const idOfSaved = (name: string) =>
  name.startsWith(savedPrefix) ? name.slice(savedPrefix.length) : undefined

/**
 * While the disk of a machine is replaced, the next one is prepared beside it, then the machine's is set aside as the former one, and
 * the next one takes its name. So a machine without an instance of its name has a next one, which is complete.
 */
const nextPrefix = 'r-'
const formerPrefix = 'o-'
export const nextOf = (id: string) => `${nextPrefix}${id}`
export const formerOf = (id: string) => `${formerPrefix}${id}`
export const idOfFormer = (name: string) =>
  name.startsWith(formerPrefix) ? name.slice(formerPrefix.length) : undefined
export const idOfNext = (name: string) =>
  name.startsWith(nextPrefix) ? name.slice(nextPrefix.length) : undefined

/** Where the engine keeps what it knows of a machine: in the configuration of its instance. */
export const specKey = 'user.sandglass.spec'
/** What guest/cluster-boot reads. */
export const bootKey = 'environment.SANDGLASS_MACHINE'
/** What the image of a virtual machine reads for the same. */
export const virtualBootKey = 'user.sandglass.boot'
/** Who has prepared an instance that is no machine yet. */
export const preparedKey = 'user.sandglass.prepared'
/** How long it waits to become one, in seconds. */
export const waitKey = 'environment.SANDGLASS_WAIT'
/** `true` once the machine was ready. */
export const readyKey = 'user.sandglass.ready'

export const Instance = z.object({
  name: z.string(),
  status: z.string(),
  /** The member that has it. */
  location: z.string(),
  architecture: z.string().default(''),
  config: z.record(z.string(), z.string()).nullish(),
})
export type Instance = z.infer<typeof Instance>

export const Owner = z.object({ installation: z.string(), node: z.string(), number: z.number() })
const KeptSpec = z.object({
  id: z.string(),
  image: z.string(),
  cpus: z.number(),
  memoryMiB: z.number(),
  pids: z.number(),
  diskMiB: z.number(),
  screen: z.object({ width: z.number(), height: z.number() }).exactOptional(),
  // It was checked before it was written.
  egress: z.custom<Egress>().exactOptional(),
  env: z.record(z.string(), z.string()).exactOptional(),
  runtime: z.string().exactOptional(),
  sudo: z.boolean().exactOptional(),
  owner: Owner.exactOptional(),
  place: z.object({ member: z.string().exactOptional() }).exactOptional(),
})
export type KeptSpec = z.infer<typeof KeptSpec>

export const writeSpec = (spec: MachineSpec): string => JSON.stringify(spec)

/** The spec of an instance that the engine made; undefined of any other. */
export function specOf({ config }: Instance): KeptSpec | undefined {
  const text = config?.[specKey]
  if (text === undefined) return undefined
  const { data } = KeptSpec.safeParse(JSON.parse(text))
  return data
}

/** The id of the machine that a prepared instance has become. */
export function idOfPrepared(instance: Instance): string | undefined {
  const isMachine = isPreparedName(instance.name) && !instance.config?.[preparedKey]
  return isMachine ? specOf(instance)?.id : undefined
}
