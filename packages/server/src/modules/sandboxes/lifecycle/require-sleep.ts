import type { Engine } from '@sandglass/machines/contract'
import { ApiError, type Lifecycle } from '@sandglass/protocol'

/** Throws a 400 if the rules would pause a sandbox whose machine can neither be paused nor stopped and started again. */
export function requireSleep(
  { capabilities, stop }: Pick<Engine, 'capabilities' | 'stop'>,
  { onTimeout, onIdle }: Partial<Pick<Lifecycle, 'onTimeout' | 'onIdle'>>,
): void {
  if (capabilities.pause || stop) return
  const rule = onTimeout === 'pause' ? 'onTimeout' : onIdle === 'pause' ? 'onIdle' : undefined
  if (rule === undefined) return
  const message = 'machines of this shape cannot be paused; use "delete"'
  throw new ApiError('request.INVALID', {
    message: `The request is not valid: lifecycle.${rule}: ${message}.`,
    fields: { issues: [{ path: `lifecycle.${rule}`, message }] },
  })
}
