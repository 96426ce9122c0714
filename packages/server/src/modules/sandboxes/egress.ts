import { ApiError, type Egress } from '@sandglass/protocol'

/** Networks that are nobody's to reach from a sandbox: private, shared, loopback, link-local, multicast, reserved. */
const closedNetworks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
]

interface Network {
  readonly first: number
  readonly last: number
}

/** A caller may name public networks, and of the others those that the operator allowed. */
export function requireAllowed(egress: Egress, allowed: readonly string[]): void {
  if (typeof egress === 'string') return
  const open = allowed.map(networkOf)
  const closed = closedNetworks.map(networkOf)
  egress.forEach(({ cidr }, index) => {
    const asked = networkOf(cidr)
    const isAllowed = open.some(({ first, last }) => first <= asked.first && asked.last <= last)
    if (isAllowed || !closed.some(({ first, last }) => first <= asked.last && asked.first <= last)) return
    throw new ApiError('request.INVALID', {
      message: `The request does not validate: egress.${index}.cidr: ${cidr} holds private or reserved addresses, which the operator has not allowed.`,
      fields: { issues: [{ path: `egress.${index}.cidr`, message: 'holds private or reserved addresses' }] },
    })
  })
}

function networkOf(cidr: string): Network {
  const [address = '', bits = '32'] = cidr.split('/')
  const value = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
  const size = 2 ** (32 - Number(bits))
  const first = Math.floor(value / size) * size
  return { first, last: first + size - 1 }
}
