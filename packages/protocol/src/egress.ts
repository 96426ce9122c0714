import { z } from 'zod'

const EgressRule = z.object({
  cidr: z.union([z.cidrv4(), z.ipv4()], 'must be an IPv4 network such as 203.0.113.0/24, or an IPv4 address'),
  ports: z
    .array(z.int().min(1).max(65_535))
    .max(100)
    .optional()
    .describe('If omitted, all ports are allowed.'),
})

/** Which destinations a sandbox can reach. */
export const Egress = z.union([z.enum(['internet', 'none']), z.array(EgressRule).max(100)]).meta({
  id: 'Egress',
  description:
    "internet: everything except private, link-local, metadata and the host's own addresses. none: nothing, and DNS does not resolve. A list: only the networks and ports in it.",
})
export type Egress = z.infer<typeof Egress>
