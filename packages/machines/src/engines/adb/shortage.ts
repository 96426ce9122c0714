import type { DeviceState } from './device-state.ts'
import type { Settings } from './options.ts'

/** Why no phone of a pool is free now; undefined where one is, though it may turn out not to work. */
export function shortageOf({ pools }: Settings, state: DeviceState, pool: string): string | undefined {
  const devices = pools[pool]?.devices
  if (!devices) return `There is no pool of phones ${pool}; there are ${Object.keys(pools).join(', ')}.`
  if (devices.some(address => state.isFree(address))) return undefined
  const away = devices.flatMap(address => {
    const quarantine = state.quarantineOf(address)
    return quarantine ? [`${address} is in quarantine since ${quarantine.since}: ${quarantine.reason}`] : []
  })
  const used = devices.length - away.length
  return [`No phone of the pool ${pool} is free: ${used} of ${devices.length} are in use.`, ...away].join(' ')
}
