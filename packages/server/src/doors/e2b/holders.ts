import { ApiError } from '@sandglass/protocol'
import { heldIn } from '../../auth/held-credential.ts'
import type { Principal } from '../../auth/principal.ts'
import type { DoorParts } from './door-parts.ts'

/** Returns the principal that a token was given to. Throws `auth.INVALID` if its credential has ended. */
export function principalOf(
  { authenticator }: Pick<DoorParts, 'authenticator'>,
  holder: string | undefined,
): Principal | Promise<Principal> {
  const held = holder === undefined ? undefined : heldIn(holder)
  if (held?.kind !== 'apiKey' && held?.kind !== 'trialToken') throw new ApiError('auth.INVALID')
  const found = authenticator.identifyHeld(held.kind, held.id)
  return found instanceof Promise ? found.then(required) : required(found)
}

function required(principal: Principal | undefined): Principal {
  if (!principal) throw new ApiError('auth.INVALID')
  return principal
}
