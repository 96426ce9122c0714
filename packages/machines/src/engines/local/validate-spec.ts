import { maxVolumes, overlapOf, volumePathProblem } from '@sandglass/protocol'
import { MachineError } from '../../contract/errors.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import { canonicalCidr } from './network/addresses.ts'
import { isHostPattern } from './network/names/host-patterns.ts'
import { runtimeNames } from './oci/runtimes.ts'

const within = (value: number, min: number, max: number) => value >= min && value <= max
const whole = (value: number, min: number, max: number) => Number.isInteger(value) && within(value, min, max)

export const namePattern = /^[a-z0-9][a-z0-9-]{0,39}$/
const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Throws an error about the first problem of a spec. */
export function validateSpec(spec: MachineSpec): void {
  const refuse = (what: string): never => {
    throw new MachineError('INVALID', what)
  }
  if (!namePattern.test(spec.id))
    refuse('id must be 1 to 40 lower-case letters, digits and -, and must not start with -')
  if (!namePattern.test(spec.image)) refuse('image must be the name of a recipe')
  if (!within(spec.cpus, 0.05, 1024)) refuse('cpus must be between 0.05 and 1024')
  if (!whole(spec.memoryMiB, 64, 1 << 24)) refuse('memoryMiB must be a whole number of at least 64')
  if (!whole(spec.pids, 32, 1 << 22)) refuse('pids must be a whole number of at least 32')
  if (!whole(spec.diskMiB, 64, 1 << 24)) refuse('diskMiB must be a whole number of at least 64')
  if (spec.runtime !== undefined && !runtimeNames.some(name => name === spec.runtime))
    refuse(`runtime must be ${runtimeNames.join(' or ')}`)
  const { screen } = spec
  if (screen && !(whole(screen.width, 64, 8192) && whole(screen.height, 64, 8192))) {
    refuse('screen must be 64 to 8192 pixels wide and high')
  }
  for (const [name, value] of Object.entries(spec.env ?? {})) {
    if (!variablePattern.test(name) || value.includes('\0'))
      refuse(`env.${name} is not a valid environment variable`)
  }
  validateVolumes(spec, refuse)
  if (spec.egress === undefined || spec.egress === 'internet' || spec.egress === 'none') return
  if (!Array.isArray(spec.egress)) refuse('egress must be internet, none, or a list')
  for (const rule of spec.egress) {
    const { ports = [] } = rule
    if ('host' in rule && !isHostPattern(rule.host)) refuse(`egress: ${rule.host} is not a host name`)
    if ('cidr' in rule && !canonicalCidr(rule.cidr)) refuse(`egress: ${rule.cidr} is not an IPv4 network`)
    for (const port of ports) if (!whole(port, 1, 65535)) refuse(`egress: ${port} is not a port`)
  }
}

function validateVolumes({ volumes = [] }: MachineSpec, refuse: (what: string) => never): void {
  if (volumes.length > maxVolumes) refuse(`volumes: a machine has at most ${maxVolumes}`)
  if (new Set(volumes.map(({ id }) => id)).size < volumes.length)
    refuse('volumes: a machine has each volume once')
  for (const { id, path } of volumes) {
    if (!namePattern.test(id)) refuse('volumes: id must be that of a volume')
    const problem = volumePathProblem(path)
    if (problem !== undefined) refuse(`volumes: path ${problem}`)
  }
  const overlap = overlapOf(volumes.map(({ path }) => path))
  if (overlap) refuse(`volumes: ${overlap[0]} contains ${overlap[1]}`)
}
