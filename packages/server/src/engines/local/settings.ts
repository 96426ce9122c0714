import { z } from 'zod'
import { list, path, type SettingTable } from '../../setting-table.ts'

export const localSettings = {
  SANDGLASS_MACHINES: {
    about: 'local: create machines on this host, which requires root. none: create no machines on this host.',
    default: 'local',
    schema: z.enum(['local', 'none'], 'must be local or none'),
  },
  SANDGLASS_IMAGES: {
    about: 'The folder for machine images. Defaults to the folder images in the data directory.',
    schema: path,
  },
  SANDGLASS_DISK_OVERCOMMIT: {
    about:
      'How many times over the disk of this host may be promised to machines. With 1, each disk is allocated in full when it is created, so that machines never fill the disk of the database or of other machines. Above 1, disks grow as they are written, and more machines fit.',
    default: '1',
    schema: z.coerce.number('must be a number of at least 1').min(1, 'must be a number of at least 1'),
  },
  SANDGLASS_START_TIMEOUT: {
    about:
      'How many seconds the desktop of a machine may take to start. A create that takes longer fails. An emulated virtual machine may take ten times as long.',
    default: '30',
    schema: z.coerce.number('must be a number of seconds').positive('must be a number of seconds').max(3600),
  },
  SANDGLASS_RUNTIME: {
    about:
      'The OCI runtime that runs machines of shapes that name none: runc, or runsc (gVisor) for stronger isolation at the price of speed.',
    default: 'runc',
    schema: z.string().min(1),
  },
  SANDGLASS_UPLINK: {
    about:
      'How machines reach the internet: host (through this host), none, or netns:NAME (through that network namespace).',
    default: 'host',
    schema: z
      .string()
      .regex(/^(host|none|netns:[\w.-]+)$/, 'must be host, none or netns:NAME')
      .transform(text =>
        text === 'host' || text === 'none' ? text : { netns: text.slice('netns:'.length) },
      ),
  },
  SANDGLASS_RESOLVERS: {
    about: "IPv4 addresses of name servers for machines, separated by commas. Defaults to the host's own.",
    default: '',
    schema: list.pipe(z.array(z.ipv4('must be IPv4 addresses'))),
  },
} as const satisfies SettingTable
