import { z } from 'zod'

export const Owner = z.strictObject({
  installation: z.string().max(200),
  node: z.string().max(200),
  number: z.number(),
})
const Ports = z.array(z.int()).readonly().exactOptional()
const EgressRule = z.union([
  z.strictObject({ cidr: z.string().max(100), ports: Ports }),
  z.strictObject({ host: z.string().max(300), ports: Ports }),
])

const VolumeMount = z.strictObject({
  id: z.string().max(100),
  path: z.string().max(1000),
  readOnly: z.boolean().exactOptional(),
})

/** Only the types are checked here. `create` of the engine checks the values. */
export const Spec = z.strictObject({
  id: z.string(),
  image: z.string(),
  cpus: z.number(),
  memoryMiB: z.number(),
  pids: z.number(),
  diskMiB: z.number(),
  screen: z.strictObject({ width: z.number(), height: z.number() }).exactOptional(),
  egress: z.union([z.enum(['internet', 'none']), z.array(EgressRule).readonly()]).exactOptional(),
  env: z.record(z.string(), z.string()).readonly().exactOptional(),
  runtime: z.string().exactOptional(),
  sudo: z.boolean().exactOptional(),
  volumes: z.array(VolumeMount).max(100).readonly().exactOptional(),
  owner: Owner.exactOptional(),
})
