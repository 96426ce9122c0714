import type { Duplex } from 'node:stream'
import type { Endpoint } from '@sandglass/machines/contract'
import type { Caller } from '@sandglass/rpc'
import { only } from '../channels.ts'
import type { portMethods } from './methods.ts'

/** Connects to a socket inside a machine whose worker is another process. */
export async function remoteDial(
  caller: Caller<typeof portMethods>,
  machine: string,
  endpoint: Endpoint,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Duplex> {
  const { channels, answer } = caller.start('ports.dial', { machine, endpoint }, { signal })
  await answer
  return only(channels)
}
