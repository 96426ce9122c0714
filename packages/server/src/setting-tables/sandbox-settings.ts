import { z } from 'zod'
import { list, type SettingTable } from '../setting-table.ts'
import { atLeastOne } from './values.ts'

/** What sandboxes may use of the host, reach, and have reached in them. */
export const sandboxSettings = {
  SANDGLASS_DISK_RESERVE: {
    about:
      'MiB of disk space to keep free. Below this limit the service creates no machines, writes no files into machines, and is not ready.',
    default: '2048',
    schema: z.coerce
      .number('must be a whole number of MiB')
      .int('must be a whole number of MiB')
      .min(0, 'must be a whole number of MiB'),
  },
  SANDGLASS_MEMORY_RESERVE: {
    about:
      'MiB of memory of the host to keep available. Below this limit the service creates no machines. Those that run continue.',
    default: '768',
    schema: z.coerce
      .number('must be a whole number of MiB')
      .int('must be a whole number of MiB')
      .min(0, 'must be a whole number of MiB'),
  },
  SANDGLASS_PRIVATE_EGRESS: {
    about: 'Private networks that a sandbox may reach if its egress lists them, separated by commas.',
    default: '',
    schema: list.pipe(z.array(z.cidrv4('must be IPv4 networks such as 10.1.0.0/16'))),
  },
  SANDGLASS_OUTBOUND_PRIVATE: {
    about:
      'Private networks that the service itself may call when a caller gives it a URL to download from, to upload to or to send events to, separated by commas.',
    default: '',
    schema: list.pipe(
      z.array(z.union([z.cidrv4(), z.cidrv6()], 'must be networks such as 10.1.0.0/16 or fd12::/32')),
    ),
  },
  SANDGLASS_WEBHOOK_TIMEOUT: {
    about:
      'Seconds that the endpoint of a webhook may take to answer. An attempt that takes longer has failed.',
    default: '15',
    schema: z.coerce
      .number('must be a number of seconds, at most 60')
      .positive('must be a number of seconds, above 0')
      .max(60, 'must be a number of seconds, at most 60'),
  },
  SANDGLASS_WEBHOOK_DELIVERY_DAYS: {
    about: 'How many days the deliveries to webhooks can be inspected and repeated.',
    default: '14',
    schema: z.coerce
      .number('must be a number of days, at most 3650')
      .positive('must be a number of days, above 0')
      .max(3650, 'must be a number of days, at most 3650'),
  },
  SANDGLASS_WEBHOOK_DELIVERIES: {
    about:
      'How many deliveries of each webhook are kept at most. Above it, the oldest that are not pending are removed before SANDGLASS_WEBHOOK_DELIVERY_DAYS have passed.',
    default: '100000',
    schema: atLeastOne,
  },
  SANDGLASS_MAPPING_DOMAIN: {
    about:
      'The domain under which each mapped port gets a host name, such as apps.example.org, with a port if it is not the default one. Its wildcard DNS record must point to this service. Defaults to localhost.',
    schema: z
      .string()
      .regex(
        /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?(:[1-9]\d{0,4})?$/,
        'must be a domain in lower case, or domain:port',
      ),
  },
  SANDGLASS_MAPPING_CONNECTIONS: {
    about: 'The maximum number of open requests and WebSockets per mapped port.',
    default: '256',
    schema: atLeastOne,
  },
  SANDGLASS_ALL_MAPPING_CONNECTIONS: {
    about: 'The maximum number of open requests and WebSockets for all mapped ports together, per process.',
    default: '4096',
    schema: atLeastOne,
  },
  SANDGLASS_SANDBOX_TUNNELS: {
    about: 'The maximum number of open tunnels to the ports of one sandbox.',
    default: '128',
    schema: atLeastOne,
  },
  SANDGLASS_ORGANIZATION_TUNNELS: {
    about: 'The maximum number of open tunnels to the sandboxes of one organization, per process.',
    default: '512',
    schema: atLeastOne,
  },
} as const satisfies SettingTable
