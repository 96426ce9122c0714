import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { QemuSettings } from '../options.ts'

/** The memory of a machine that was switched off to go on later. */
export const suspendedPath = ({ disksDir }: Pick<QemuSettings, 'disksDir'>, id: string): string =>
  join(disksDir, 'suspended', `${id}.state`)

export async function forgetSuspended(settings: Pick<QemuSettings, 'disksDir'>, id: string): Promise<void> {
  const state = suspendedPath(settings, id)
  await Promise.all([rm(state, { force: true }), rm(`${state}.part`, { force: true })])
}
