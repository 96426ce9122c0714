import { z } from 'zod'

const EgressRule = z.object({
  cidr: z.union([z.cidrv4(), z.ipv4()], 'must be an IPv4 network such as 203.0.113.0/24, or an address'),
  ports: z.array(z.int().min(1).max(65_535)).max(100).optional().describe('Left out: every port.'),
})

/** Where a sandbox may send packets. */
export const Egress = z.union([z.enum(['internet', 'none']), z.array(EgressRule).max(100)]).meta({
  id: 'Egress',
  description:
    "internet: anywhere but private, link-local, metadata and the host's own addresses. none: nowhere, and no name resolves. A list: what it names.",
})
export type Egress = z.infer<typeof Egress>
