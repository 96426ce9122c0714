import { systemUser } from '../db/embedded/unprivileged.ts'
import type { FrontUser } from './front-record.ts'

/**
 * Returns the user who started the service with sudo, or the system user if it was started by root. The group is that of
 * the system user in both cases: nobody else is in it, so the data directory can be opened for it.
 */
export async function chooseFrontUser(env: Readonly<Record<string, string | undefined>>): Promise<FrontUser> {
  const system = await systemUser()
  const invoker = Number(env['SUDO_UID'] ?? 0)
  return Number.isInteger(invoker) && invoker > 0 ? { uid: invoker, gid: system.gid } : system
}
