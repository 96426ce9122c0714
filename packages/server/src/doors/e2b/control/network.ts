import { egressOf, Network } from '@sandglass/doors/e2b'
import { ApiError } from '@sandglass/protocol'
import { z } from 'zod'
import { parseInput } from '../../../http/input.ts'
import type { ControlCall } from './control-call.ts'
import { findSandbox } from './find.ts'

const NetworkUpdate = Network.extend({ allow_internet_access: z.boolean().nullish() })

/** Refuses to change the network of a running sandbox, which only a new one can choose. */
export async function updateNetwork(call: ControlCall): Promise<never> {
  const update = parseInput(NetworkUpdate, call.request.body ?? {}, 'body')
  await findSandbox(call)
  egressOf(update, update.allow_internet_access !== false)
  throw new ApiError('sandbox.STATE', {
    message: 'The network of a sandbox is chosen when it is created, and cannot be changed afterwards.',
  })
}
