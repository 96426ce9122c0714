import { resolve } from 'node:path'
import { z } from 'zod'
import { list, path, type SettingTable } from '../../setting-table.ts'

/** Where Incus is reached: on this host, or on members of the cluster, of which any can answer. */
export type IncusAddress = { readonly socket: string } | { readonly urls: readonly string[] }

const httpsUrl = z.url({ protocol: /^https$/ })
const wanted = 'must be the path of a unix socket, or https URLs that are separated by commas'

const address = list.transform((parts, context): IncusAddress => {
  const [first = ''] = parts
  if (parts.length === 1 && first.startsWith('/')) return { socket: resolve(first) }
  if (parts.length > 0 && parts.every(part => httpsUrl.safeParse(part).success))
    return { urls: parts.map(part => new URL(part).origin) }
  context.addIssue({ code: 'custom', message: wanted })
  return z.NEVER
})

/** What Incus accepts as the name of a project, a pool, a network or a group. */
const name = z
  .string()
  .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i, 'must be a name of letters, digits and hyphens')

export const incusSettings = {
  SANDGLASS_INCUS: {
    about:
      'The Incus cluster that machines are placed on: the path of its unix socket, or the https URLs of members, separated by commas, of which any that answers is used. `npm run cluster -- init` prints the value. If it is not set, no cluster is used (docs/cluster.md).',
    schema: address,
  },
  SANDGLASS_INCUS_CERTIFICATE: {
    about:
      'The certificate with which the service signs in to Incus over https. Defaults to incus/client.crt in the data directory, where `npm run cluster -- init` writes it.',
    schema: path,
    file: true,
  },
  SANDGLASS_INCUS_KEY: {
    about: 'The key of this certificate. Defaults to incus/client.key in the data directory.',
    schema: path,
    file: true,
  },
  SANDGLASS_INCUS_SERVER_CERTIFICATE: {
    about:
      'The certificate of the cluster, the only one that is accepted from its members. Defaults to incus/server.crt in the data directory.',
    schema: path,
    file: true,
  },
  SANDGLASS_INCUS_PROJECT: {
    about: 'The Incus project of the machines. Everything in it belongs to the services of one database.',
    default: 'sandglass',
    schema: name,
  },
  SANDGLASS_INCUS_POOL: {
    about: 'The Incus storage pool of the disks of machines.',
    default: 'sandglass',
    schema: name,
  },
  SANDGLASS_INCUS_NETWORK: {
    about: 'The Incus network that machines are connected to.',
    default: 'sgnet0',
    schema: name,
  },
  SANDGLASS_INCUS_GROUP: {
    about:
      'The Incus cluster group whose members get machines. If it is not set, Incus chooses among all members.',
    schema: name,
  },
  SANDGLASS_INCUS_DNS: {
    about:
      'IPv4 addresses of name servers for machines in the cluster, separated by commas. They must be reachable from every member.',
    default: '',
    schema: list.pipe(z.array(z.ipv4('must be IPv4 addresses'))),
  },
  SANDGLASS_INCUS_PREPARE: {
    about:
      '`yes` or `no`. With `yes`, this process keeps some instances per kind of machine running ahead of creates, which are three times as fast then. What that costs is in docs/cluster.md.',
    default: 'yes',
    schema: z.enum(['yes', 'no'], 'must be yes or no').transform(text => text === 'yes'),
  },
} as const satisfies SettingTable
