import type { Egress, EgressRule } from '../../../contract/spec.ts'
import { addressOf, canonicalCidr, linkOf } from './addresses.ts'
import type { NamedMachine } from './names/messages.ts'

const chainOf = (index: number) => `m${index}`

/** The set of the addresses that were found for the host of a rule. */
export const addressSetOf = (index: number, rule: number): string => `n${index}_${rule}`

/** How many addresses of one host are open at a time, and for how long after their last use. */
const maxAddresses = 1024
const openSeconds = 600

/** The hosts of an egress list, each with the number of its rule. */
export function hostsOf(egress: Egress | undefined): NamedMachine['hosts'] {
  if (egress === undefined || typeof egress === 'string') return []
  return egress.flatMap((one, rule) => ('host' in one ? [{ host: one.host, rule }] : []))
}

function accept(index: number, one: EgressRule, rule: number): string {
  const { ports = [] } = one
  const port = ports.length > 0 ? ` meta l4proto { tcp, udp } th dport { ${ports.join(', ')} }` : ''
  if ('host' in one) {
    // Each packet renews the timeout, so that a connection is not cut when the record of its name expires.
    const set = addressSetOf(index, rule)
    return `    ip daddr @${set}${port} update @${set} { ip daddr timeout ${openSeconds}s } accept\n`
  }
  const network = canonicalCidr(one.cidr)
  if (!network) throw new RangeError(`${one.cidr} is not an IPv4 network`)
  return `    ip daddr ${network}${port} accept\n`
}

/** Starts at 1, because 0 means that there is no mark. */
export const markOf = (index: number): number => index + 1

/** What the policy of a machine adds to the sets and maps of the router. */
function elementsOf(index: number, egress: Exclude<Egress, 'none'>): string[] {
  const link = linkOf(index)
  const policy = egress === 'internet' ? 'internet' : chainOf(index)
  return [
    `links { "${link}" . ${addressOf(index)} }`,
    `marks { "${link}" : ${markOf(index)} }`,
    `policies { "${link}" : goto ${policy} }`,
    ...(egress === 'internet' ? [`resolving { "${link}" }`] : []),
    ...(hostsOf(egress).length > 0 ? [`named { "${link}" }`] : []),
  ]
}

const setsOf = (index: number, egress: Egress) =>
  hostsOf(egress).map(({ rule }) => `set inet sandglass ${addressSetOf(index, rule)}`)

/** How many queries the machine has sent lately, which the rules of the router count. */
const countOf = (index: number) => `element inet sandglass queries { "${linkOf(index)}" }`

const setType = `{ type ipv4_addr; flags timeout, dynamic; size ${maxAddresses}; }`

/** The rules that put the policy of a machine in force. Applying them twice changes nothing. */
export function policyRules(index: number, egress: Exclude<Egress, 'none'>): string {
  const sets = setsOf(index, egress).map(set => `add ${set} ${setType}\n`)
  const chain =
    egress === 'internet'
      ? ''
      : `add chain inet sandglass ${chainOf(index)}\nflush chain inet sandglass ${chainOf(index)}\n` +
        `table inet sandglass {\n  chain ${chainOf(index)} {\n` +
        `${egress.map((one, rule) => accept(index, one, rule)).join('')}    drop\n  }\n}\n`
  const elements = elementsOf(index, egress).map(element => `add element inet sandglass ${element}\n`)
  return [...sets, chain, ...elements].join('')
}

/** The rules that remove the policy. Everything is added first, because nft can only delete what exists. */
export function withoutPolicy(index: number, egress: Exclude<Egress, 'none'>): string {
  const elements = elementsOf(index, egress)
  const chains = egress === 'internet' ? [] : [`chain inet sandglass ${chainOf(index)}`]
  const sets = setsOf(index, egress)
  return [
    // A router of an earlier version does not have these.
    ...['resolving', 'named'].map(set => `add set inet sandglass ${set} { type ifname; }`),
    ...sets.map(set => `add ${set} ${setType}`),
    ...chains.map(chain => `add ${chain}`),
    ...elements.map(element => `add element inet sandglass ${element}`),
    ...elements.map(element => `delete element inet sandglass ${element}`),
    ...(sets.length > 0 ? [`add ${countOf(index)}`, `delete ${countOf(index)}`] : []),
    ...chains.flatMap(chain => [`flush ${chain}`, `delete ${chain}`]),
    ...sets.map(set => `delete ${set}`),
  ]
    .map(line => `${line}\n`)
    .join('')
}
