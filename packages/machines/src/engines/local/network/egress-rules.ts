import type { Egress } from '../../../contract/spec.ts'
import { addressOf, canonicalCidr, linkOf } from './addresses.ts'

const chainOf = (index: number) => `m${index}`

function allowList(rules: Exclude<Egress, string>): string {
  return rules
    .map(({ cidr, ports }) => {
      const network = canonicalCidr(cidr)
      if (!network) throw new RangeError(`${cidr} is not an IPv4 network`)
      const port =
        ports && ports.length > 0 ? ` meta l4proto { tcp, udp } th dport { ${ports.join(', ')} }` : ''
      return `    ip daddr ${network}${port} accept\n`
    })
    .join('')
}

/** Starts at 1, because 0 means that there is no mark. */
export const markOf = (index: number): number => index + 1

const elements = (index: number, egress: Egress) => ({
  links: `inet sandglass links { "${linkOf(index)}" . ${addressOf(index)} }`,
  marks: `inet sandglass marks { "${linkOf(index)}" : ${markOf(index)} }`,
  policies: `inet sandglass policies { "${linkOf(index)}" : goto ${egress === 'internet' ? 'internet' : chainOf(index)} }`,
})

/** The rules that put the policy of a machine in force. Applying them twice changes nothing. */
export function policyRules(index: number, egress: Exclude<Egress, 'none'>): string {
  const { links, marks, policies } = elements(index, egress)
  const chain =
    egress === 'internet'
      ? ''
      : `add chain inet sandglass ${chainOf(index)}\nflush chain inet sandglass ${chainOf(index)}\n` +
        `table inet sandglass {\n  chain ${chainOf(index)} {\n${allowList(egress)}    drop\n  }\n}\n`
  return `${chain}add element ${links}\nadd element ${marks}\nadd element ${policies}\n`
}

/** The rules that remove the policy. Everything is added first, because nft can only delete what exists. */
export function withoutPolicy(index: number, egress: Exclude<Egress, 'none'>): string {
  const { links, marks, policies } = elements(index, egress)
  const chain = `inet sandglass ${chainOf(index)}`
  return [
    ...(egress === 'internet' ? [] : [`add chain ${chain}`]),
    `add element ${links}`,
    `add element ${marks}`,
    `add element ${policies}`,
    `delete element ${links}`,
    `delete element ${marks}`,
    `delete element ${policies}`,
    ...(egress === 'internet' ? [] : [`flush chain ${chain}`, `delete chain ${chain}`]),
  ]
    .map(line => `${line}\n`)
    .join('')
}
