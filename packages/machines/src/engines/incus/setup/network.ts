import { BlockList } from 'node:net'
import { z } from 'zod'
import { read } from '../client/answers.ts'
import { IncusError } from '../client/index.ts'
import { listMembers } from '../list-members.ts'
import { unlessMissing } from './missing.ts'
import { type SetupContext, SetupError } from './setup-context.ts'

/** Machines get their addresses from the service, so nothing on a member answers DHCP or names. */
export const networkSettings: Readonly<Record<string, string>> = {
  'ipv4.nat': 'true',
  'ipv4.dhcp': 'false',
  'ipv6.address': 'none',
  'dns.mode': 'none',
}

const networkSchema = z.object({
  type: z.string(),
  managed: z.boolean(),
  status: z.string().default(''),
  config: z.record(z.string(), z.string()).nullish(),
})

export type IncusNetwork = z.infer<typeof networkSchema>

export async function findNetwork({
  incus,
  names: { network },
}: Pick<SetupContext, 'incus' | 'names'>): Promise<IncusNetwork | undefined> {
  const found = await unlessMissing(incus.get(`/networks/${network}`))
  return found === undefined ? undefined : read(networkSchema, found, 'a network')
}

/** Which of the settings that machines rely on differ, in words. */
export function wrongNetworkSettings({ config }: IncusNetwork): string[] {
  return Object.entries(networkSettings)
    .filter(([key, value]) => config?.[key] !== value)
    .map(([key, value]) => `${key} is ${config?.[key] ?? 'not set'} instead of ${value}`)
}

/** Makes the bridge of machines on every member, or corrects its settings. `taken` are addresses of this box. */
export async function ensureNetwork(
  context: SetupContext,
  taken: readonly InterfaceAddress[],
): Promise<void> {
  const { incus, names, tell } = context
  const found = await findNetwork(context)
  if (found && (!found.managed || found.type !== 'bridge'))
    throw new SetupError(
      `There is an interface ${names.network} that is not a bridge of Incus. Remove it, or choose another name with SANDGLASS_INCUS_NETWORK.`,
    )
  if (found?.status === 'Created') {
    if (wrongNetworkSettings(found).length === 0)
      return tell(`The network ${names.network} is there (${found.config?.['ipv4.address']}).`)
    await incus.send('PATCH', `/networks/${names.network}`, { config: networkSettings })
    return tell(`Corrected the settings of the network ${names.network}.`)
  }
  const address = `${freeSubnet(taken)}.0.1/16`
  for (const member of await listMembers(incus)) await defineOn(context, member.name)
  const config = { ...networkSettings, 'ipv4.address': address }
  await incus.send('POST', '/networks', { name: names.network, type: 'bridge', config })
  tell(`Made the network ${names.network} (${address}), a bridge on each member.`)
}

/** A network is announced on each member before it is made on all of them. */
async function defineOn({ incus, names: { network: name } }: SetupContext, member: string): Promise<void> {
  try {
    await incus.send('POST', `/networks?target=${encodeURIComponent(member)}`, { name, type: 'bridge' })
  } catch (error) {
    // An earlier run was interrupted after it.
    if (!(error instanceof IncusError && /already (defined|exists)/i.test(error.reason))) throw error
  }
}

/** An address of a network interface of this box, with the length of its prefix. */
export interface InterfaceAddress {
  readonly address: string
  readonly prefix: number
}

/** The first two numbers of a network of 65,536 addresses that no interface of this box has a part of. */
export function freeSubnet(taken: readonly InterfaceAddress[]): string {
  for (let second = 64; second < 128; second++) {
    const candidate = `100.${second}`
    const inside = new BlockList()
    inside.addSubnet(`${candidate}.0.0`, 16)
    const overlaps = taken.some(({ address, prefix }) => {
      const around = new BlockList()
      around.addSubnet(address, prefix)
      return inside.check(address) || around.check(`${candidate}.0.0`)
    })
    if (!overlaps) return candidate
  }
  throw new SetupError(
    'All of 100.64.0.0/10 is used by interfaces of this box, so machines have no addresses.',
  )
}
