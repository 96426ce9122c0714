import { randomBytes } from 'node:crypto'
import type { Egress, MachineSpec, ScreenSize } from '@sandglass/machines/contract'
import type { CatalogueShape } from '../modules/shapes/catalogue.ts'

/** The options of a machine that a caller can choose. */
export interface MachineChoices {
  readonly egress: Egress
  readonly env: Readonly<Record<string, string>>
  readonly screen?: ScreenSize | undefined
}

export const noChoices: MachineChoices = { egress: 'internet', env: {} }

/** Returns a random id. It is also the host name, so it is short enough to read. */
export function newMachineId(): string {
  return `sandbox-${randomBytes(6).toString('hex')}`
}

/** Builds the spec of a new machine of a shape, with a new id. */
export function specOf(shape: CatalogueShape, choices: MachineChoices): MachineSpec {
  return {
    id: newMachineId(),
    image: shape.image,
    cpus: shape.cpus,
    memoryMiB: shape.memoryMiB,
    diskMiB: shape.diskMiB,
    pids: shape.pids,
    screen: choices.screen ?? shape.screen,
    egress: choices.egress,
    env: choices.env,
    ...(shape.runtime !== undefined && { runtime: shape.runtime }),
    ...(!shape.sudo && { sudo: false }),
  }
}

/**
 * Whether a pooled machine, which was created with the default options, matches these choices.
 *
 * @param usual the shape of the pooled machine; for one of an image, the screen of the image
 */
export function fitsPool(
  usual: Pick<CatalogueShape, 'screen'>,
  { egress, env, screen = usual.screen }: MachineChoices,
): boolean {
  const plain = egress === 'internet' && Object.keys(env).length === 0
  return plain && screen.width === usual.screen.width && screen.height === usual.screen.height
}
