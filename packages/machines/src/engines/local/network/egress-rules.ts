import type { Egress } from '../../../contract/spec.ts'
import { addressOf, canonicalCidr, linkOf } from './addresses.ts'

const chainOf = (index: number) => `m${index}`

function allowList(rules: Exclude<Egress, string>): string {
  return rules
    .map(({ cidr, ports }) => {
      const network = canonicalCidr(cidr)
      if (!network) throw new RangeError(`${cidr} is no IPv4 network`)
      const port =
        ports && ports.length > 0 ? ` meta l4proto { tcp, udp } th dport { ${ports.join(', ')} }` : ''
      return `    ip daddr ${network}${port} accept\n`
    })
    .join('')
}

/** Not 0, which is the mark of what has none. */
export const markOf = (index: number): number => index + 1

const elements = (index: number, egress: Egress) => ({
  links: `inet sandglass links { "${linkOf(index)}" . ${addressOf(index)} }`,
  marks: `inet sandglass marks { "${linkOf(index)}" : ${markOf(index)} }`,
  policies: `inet sandglass policies { "${linkOf(index)}" : goto ${egress === 'internet' ? 'internet' : chainOf(index)} }`,
})

/** Puts a machine's policy in force. A repeated one changes nothing. */
export function policyRules(index: number, egress: Exclude<Egress, 'none'>): string {
  const { links, marks, policies } = elements(index, egress)
  const chain =
    egress === 'internet'
      ? ''
      : `add chain inet sandglass ${chainOf(index)}\nflush chain inet sandglass ${chainOf(index)}\n` +
        `table inet sandglass {\n  chain ${chainOf(index)} {\n${allowList(egress)}    drop\n  }\n}\n`
  return `${chain}add element ${links}\nadd element ${marks}\nadd element ${policies}\n`
}

/** Takes it back. Each thing is added first, because nft only deletes what is there. */
export function withoutPolicy(index: number, egress: Exclude<Egress, 'none'>): string {
  const { links, marks, policies } = elements(index, egress)
  const chain = `inet sandglass ${chainOf(index)}`
  return [
    ...(egress === 'internet' ? [] : [`add chain ${chain}`]),
    ...[`add element ${links}`, `add element ${marks}`, `add element ${policies}`],
    ...[`delete element ${links}`, `delete element ${marks}`, `delete element ${policies}`],
    ...(egress === 'internet' ? [] : [`flush chain ${chain}`, `delete chain ${chain}`]),
  ]
    .map(line => `${line}\n`)
    .join('')
}
