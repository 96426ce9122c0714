/** The sandboxes' side of the router. It uses the benchmarking range (RFC 2544), which no real network uses. */
const firstSandbox = ipv4('198.18.0.1')
export const gateway = '198.19.255.254'

export function ipv4(text: string): number {
  const parts = text.split('.').map(Number)
  if (parts.length !== 4 || parts.some(part => !Number.isInteger(part) || part < 0 || part > 255)) {
    throw new RangeError(`${text} is not an IPv4 address`)
  }
  return parts.reduce((value, part) => value * 256 + part, 0)
}

export const dotted = (value: number): string =>
  [24, 16, 8, 0].map(shift => Math.floor(value / 2 ** shift) % 256).join('.')

export const addressOf = (index: number): string => dotted(firstSandbox + index)
export const linkOf = (index: number): string => `s${index}`

/**
 * The two ends of an uplink: one of the 8192 pairs in 198.19.0.0/17, chosen by the name of the engine and the
 * attempt.
 */
export function uplinkPair(
  instance: string,
  attempt: number,
): { readonly outer: string; readonly inner: string } {
  const pair = (Number.parseInt(instance, 16) + attempt) % 8192
  const base = ipv4('198.19.0.0') + pair * 4
  return { outer: dotted(base + 1), inner: dotted(base + 2) }
}

const cidrPattern = /^(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d|[12]\d|3[0-2]))?$/

/** Returns a network in the canonical form that nft prints, or undefined if the text is not a network. */
export function canonicalCidr(text: string): string | undefined {
  const [, address, length = '32'] = cidrPattern.exec(text) ?? []
  if (!address) return undefined
  try {
    const block = 2 ** (32 - Number(length))
    return `${dotted(Math.floor(ipv4(address) / block) * block)}/${length}`
  } catch {
    return undefined
  }
}
