import { MachineError } from '../../contract/errors.ts'
import type { MachineSpec } from '../../contract/spec.ts'
import { canonicalCidr } from './network/addresses.ts'

const within = (value: number, least: number, most: number) => value >= least && value <= most
const whole = (value: number, least: number, most: number) =>
  Number.isInteger(value) && within(value, least, most)

const namePattern = /^[a-z0-9][a-z0-9-]{0,39}$/
const variablePattern = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Says the first thing that is wrong with a spec. */
export function validateSpec(spec: MachineSpec): void {
  const wrong = (what: string): never => {
    throw new MachineError('INVALID', what)
  }
  if (!namePattern.test(spec.id))
    wrong('id is 1 to 40 lower-case letters, digits and -, and starts with no -')
  if (!namePattern.test(spec.image)) wrong('image is the name of a recipe')
  if (!within(spec.cpus, 0.05, 1024)) wrong('cpus is between 0.05 and 1024')
  if (!whole(spec.memoryMiB, 64, 1 << 24)) wrong('memoryMiB is a whole number of at least 64')
  if (!whole(spec.pids, 32, 1 << 22)) wrong('pids is a whole number of at least 32')
  if (!whole(spec.diskMiB, 64, 1 << 24)) wrong('diskMiB is a whole number of at least 64')
  const { screen } = spec
  if (screen && !(whole(screen.width, 64, 8192) && whole(screen.height, 64, 8192))) {
    wrong('screen is 64 to 8192 pixels wide and high')
  }
  for (const [name, value] of Object.entries(spec.env ?? {})) {
    if (!variablePattern.test(name) || value.includes('\0')) wrong(`env.${name} is no environment variable`)
  }
  if (spec.egress === undefined || spec.egress === 'internet' || spec.egress === 'none') return
  if (!Array.isArray(spec.egress)) wrong('egress is internet, none, or a list')
  for (const { cidr, ports = [] } of spec.egress) {
    if (!canonicalCidr(cidr)) wrong(`egress: ${cidr} is no IPv4 network`)
    for (const port of ports) if (!whole(port, 1, 65535)) wrong(`egress: ${port} is no port`)
  }
}
