import { z } from 'zod'
import { list, path, type SettingTable } from '../../setting-table.ts'

export const localSettings = {
  SANDGLASS_MACHINES: {
    about:
      'local: machines are made on this box, which needs root. none: the service makes no machines here.',
    default: 'local',
    schema: z.enum(['local', 'none'], 'must be local or none'),
  },
  SANDGLASS_IMAGES: {
    about: 'Where machine images are kept; images in the data directory unless set.',
    schema: path,
  },
  SANDGLASS_DISK_OVERCOMMIT: {
    about:
      'How many times the disk of this box may be promised to machines, whose disks grow as they are written. 1 allocates each disk when it is made, so that no machine can ever find the host full.',
    default: '10',
    schema: z.coerce.number('must be a number of at least 1').min(1, 'must be a number of at least 1'),
  },
  SANDGLASS_RUNTIME: {
    about: 'The OCI runtime that runs machines: runc, or runsc for a stronger wall.',
    default: 'runc',
    schema: z.string().min(1),
  },
  SANDGLASS_UPLINK: {
    about:
      'How machines reach the internet: host (through this box), none, or netns:NAME (through that network namespace).',
    default: 'host',
    schema: z
      .string()
      .regex(/^(host|none|netns:[\w.-]+)$/, 'must be host, none or netns:NAME')
      .transform(text =>
        text === 'host' || text === 'none' ? text : { netns: text.slice('netns:'.length) },
      ),
  },
  SANDGLASS_RESOLVERS: {
    about: "Name servers for machines, IPv4, separated by commas; the host's own unless set.",
    default: '',
    schema: list.pipe(z.array(z.ipv4('must be IPv4 addresses'))),
  },
} as const satisfies SettingTable
