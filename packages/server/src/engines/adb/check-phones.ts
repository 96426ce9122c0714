import { once } from 'node:events'
import { connect } from 'node:net'
import type { Check } from '@sandglass/machines/contract'
import { parseAddress } from '@sandglass/machines/phone-address'
import type { PhonePools } from './phone-pools.ts'

/** The timeout for connecting to a phone or to the adb server that it is attached to. */
const connectTimeoutMs = 3000

/** Returns one check per pool. An unreachable phone is only a warning, because it is used again once it can be reached. */
export async function checkPhones(pools: PhonePools): Promise<Check[]> {
  return await Promise.all(
    Object.entries(pools).map(async ([pool, { devices }]): Promise<Check> => {
      const name = `phones ${pool}`
      const problems = (await Promise.all(devices.map(problemOf))).filter(problem => problem !== undefined)
      if (problems.length === 0) return { name, result: 'ok', what: `all ${devices.length} answer` }
      return {
        name,
        result: 'warn',
        what: `${problems.length} of ${devices.length} do not answer: ${problems.join('; ')}`,
        fix: 'switch them on and allow ADB over the network, start the adb server, or correct SANDGLASS_PHONES',
      }
    }),
  )
}

async function problemOf(device: string): Promise<string | undefined> {
  const address = parseAddress(device)
  if (!address) return `${device} is not an address`
  const socket = connect({ host: address.host, port: address.port })
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectTimeoutMs) })
    return undefined
  } catch (error) {
    return `${device}: ${error instanceof Error ? error.message : error}`
  } finally {
    socket.destroy()
  }
}
