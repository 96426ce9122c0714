import { keysOf, noKeys, openPhone, type PhoneDetails, ScrcpyServer } from '@sandglass/machines/adb'
import type { Machine } from '@sandglass/machines/contract'
import { z } from 'zod'
import type { ReachedMachine } from './openers.ts'

const Details = z.object({
  id: z.string(),
  address: z.string(),
  env: z.record(z.string(), z.string()),
  key: z.object({ base64: z.string(), name: z.string() }).exactOptional(),
  decoder: z.string().exactOptional(),
}) satisfies z.ZodType<PhoneDetails>

/** The phones of a worker share it, because it remembers which version works. */
let scrcpyServer: ScrcpyServer | undefined

/** Opens a phone in a worker. */
export async function openReachedPhone({
  handle,
  details,
  file,
  dial,
  tell,
}: ReachedMachine): Promise<Machine> {
  const { id, env, address, key, decoder } = Details.parse(details)
  const keys = key ? keysOf({ buffer: Buffer.from(key.base64, 'base64'), name: key.name }) : noKeys
  const video = file && decoder !== undefined ? { server: serverOf(file), decoder } : undefined
  return await openPhone({ handle, id, env, route: { address, keys, dial }, video, onVideoFailure: tell })
}

function serverOf(content: Uint8Array): ScrcpyServer {
  if (!scrcpyServer || Buffer.compare(scrcpyServer.content, content) !== 0)
    scrcpyServer = new ScrcpyServer(new Uint8Array(content))
  return scrcpyServer
}
