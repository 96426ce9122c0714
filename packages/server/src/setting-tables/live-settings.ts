import { z } from 'zod'
import type { SettingTable } from '../setting-table.ts'
import { atLeastOne, lastUdpPort, port, webUrl } from './values.ts'

/** The live view, and the workers that talk to machines. */
export const liveSettings = {
  SANDGLASS_LIVE_URL: {
    about:
      'The URL that viewers use to reach this process for the live view, if it is not SANDGLASS_PUBLIC_URL. Its host is used for every transport, the rest for WebSocket only.',
    schema: webUrl,
  },
  SANDGLASS_LIVE_UDP_PORT: {
    about:
      'The first of three UDP ports for the live view: two for WebTransport and QUIC, one for KCP. 0 picks free ports; none turns UDP off. Defaults to SANDGLASS_PORT.',
    schema: z.union([
      z.literal('none'),
      port.max(lastUdpPort, `must be a port up to ${lastUdpPort}, or none`),
    ]),
  },
  SANDGLASS_LIVE_UDP_HOST: {
    about:
      'The address on which the UDP ports of the live view are opened, if it is not SANDGLASS_HOST. They have their own encryption, so they can be open to viewers while a proxy is in front of everything else (docs/deployment.md).',
    schema: z.string().min(1),
  },
  SANDGLASS_WORKERS: {
    about:
      'The maximum number of machine workers: processes without rights that talk to machines. Each organization has one of its own as long as there are enough; otherwise organizations share them.',
    default: '16',
    schema: atLeastOne,
  },
  SANDGLASS_WORKER_MEMORY: {
    about: 'The memory in MiB that a machine worker may take. One that takes more is ended and replaced.',
    default: '1024',
    schema: atLeastOne,
  },
  SANDGLASS_ROOM_VIEWERS: {
    about: 'The maximum number of viewers per sandbox.',
    default: '32',
    schema: atLeastOne,
  },
  SANDGLASS_LIVE_VIEWERS: {
    about: 'The maximum number of viewers of all sandboxes together, per process.',
    default: '1024',
    schema: atLeastOne,
  },
  SANDGLASS_TAKEOVER: {
    about:
      'What happens when an agent acts while a person is in control: refuse (409 immediately), or wait (for a few seconds, then 409).',
    default: 'refuse',
    schema: z.enum(['refuse', 'wait'], 'must be refuse or wait'),
  },
} as const satisfies SettingTable
