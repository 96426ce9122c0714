import { z } from 'zod'

const ports = z
  .array(z.int().min(1).max(65_535))
  .max(100)
  .optional()
  .describe('If omitted, all ports are allowed.')

const NetworkRule = z.object({
  cidr: z
    .union([z.cidrv4(), z.ipv4()], 'must be an IPv4 network such as 203.0.113.0/24, or an IPv4 address')
    .describe('An IPv4 network such as 203.0.113.0/24, or an IPv4 address.'),
  ports,
})

const HostRule = z.object({
  host: z
    .string()
    .max(253)
    .regex(
      /^(\*\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/,
      'must be a host name in lower case such as example.com, or *.example.com for all names below it',
    )
    .describe('A host name, or *.example.com for all names below example.com.'),
  ports,
})

const EgressRule = z.union(
  [NetworkRule, HostRule],
  'must have a cidr, an IPv4 network such as 203.0.113.0/24 or an IPv4 address, or a host in lower case such as example.com or *.example.com',
)

/** Which destinations a sandbox can reach. */
export const Egress = z.union([z.enum(['internet', 'none']), z.array(EgressRule).max(100)]).meta({
  id: 'Egress',
  description:
    "internet: everything except private, link-local, metadata and the host's own addresses. none: nothing, and DNS does not resolve. A list: only the networks, hosts and ports in it; DNS resolves only its hosts.",
})
export type Egress = z.infer<typeof Egress>
