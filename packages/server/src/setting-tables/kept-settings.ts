import { z } from 'zod'
import type { SettingTable } from '../setting-table.ts'
import { atLeastOne, webUrl } from './values.ts'

/** Nodes, and how long and where things are kept. */
export const keptSettings = {
  SANDGLASS_NODE_URL: {
    about:
      'The URL that other processes on the same database use to reach this one, if it differs from the address it listens on.',
    schema: webUrl.transform(url => url.replace(/\/+$/, '')),
  },
  SANDGLASS_NODE_LEASE: {
    about:
      'Seconds for which a node may be silent. Another process on the same database then declares the node lost: its sandboxes become ERROR and are no longer billed (docs/operating.md). The node renews its lease six times in this time.',
    default: '30',
    schema: z.coerce
      .number('must be a whole number of seconds from 3 to 3600')
      .int('must be a whole number of seconds from 3 to 3600')
      .min(3, 'must be a whole number of seconds from 3 to 3600')
      .max(3600, 'must be a whole number of seconds from 3 to 3600'),
  },
  SANDGLASS_EXPIRING_SECONDS: {
    about:
      'Seconds before the end of a sandbox at which a sandbox.expiring event announces it; 0 announces none.',
    default: '60',
    schema: z.coerce
      .number('must be a whole number of seconds from 0 to 86400')
      .int('must be a whole number of seconds from 0 to 86400')
      .min(0, 'must be a whole number of seconds from 0 to 86400')
      .max(86_400, 'must be a whole number of seconds from 0 to 86400'),
  },
  SANDGLASS_EVENT_DAYS: {
    about: 'How many days events are kept in the event log.',
    default: '30',
    schema: z.coerce
      .number('must be a whole number of days from 1 to 3650')
      .int('must be a whole number of days from 1 to 3650')
      .min(1, 'must be a whole number of days from 1 to 3650')
      .max(3650, 'must be a whole number of days from 1 to 3650'),
  },
  SANDGLASS_EVENTS: {
    about:
      'How many events the event log has at most, of all organizations. Above it, the oldest are removed before SANDGLASS_EVENT_DAYS have passed.',
    default: '1000000',
    schema: atLeastOne,
  },
  SANDGLASS_ACTIONS: {
    about:
      'How many actions the timelines of all sandboxes have together at most. Above it, the oldest are removed. One timeline has 5000 at most.',
    default: '2000000',
    schema: atLeastOne,
  },
  SANDGLASS_ACTION_ARGUMENTS: {
    about:
      'Whether the timelines of sandboxes have the arguments of actions, such as the text that an agent typed: keep, or omit. Timelines are kept as long as events.',
    default: 'keep',
    schema: z.enum(['keep', 'omit'], 'must be keep or omit'),
  },
  SANDGLASS_EVENT_STREAMS: {
    about: 'The maximum number of open streams of events for each organization, per process.',
    default: '100',
    schema: atLeastOne,
  },
  SANDGLASS_PAUSED_HOURS: {
    about:
      'How many hours a sandbox is kept that was paused because its rules say `onTimeout: pause`. If nobody wakes it, it is deleted then, and 13 days after its creation at the latest.',
    default: '72',
    schema: z.coerce
      .number('must be a number of hours, at most 312')
      .positive('must be a number of hours, above 0')
      .max(312, 'must be a number of hours, at most 312'),
  },
  SANDGLASS_ENDED_DAYS: {
    about: 'How many days a sandbox that has ended is listed by listSandboxes with `ended=true`.',
    default: '7',
    schema: z.coerce
      .number('must be a number of days, at most 365')
      .positive('must be a number of days, above 0')
      .max(365, 'must be a number of days, at most 365'),
  },
  SANDGLASS_SCREENSHOT_HOURS: {
    about: 'How many hours a screenshot can be fetched from its URL.',
    default: '24',
    schema: z.coerce
      .number('must be a number of hours, at most 8760')
      .positive('must be a number of hours, above 0')
      .max(8760, 'must be a number of hours, at most 8760'),
  },
  SANDGLASS_SCREENSHOTS_PER_SANDBOX: {
    about: 'MiB of screenshots that are kept per sandbox. Above it, its oldest ones are deleted.',
    default: '512',
    schema: atLeastOne,
  },
  SANDGLASS_SCREENSHOTS_PER_ORGANIZATION: {
    about: 'MiB of screenshots that each node keeps per organization. Above it, its oldest ones are deleted.',
    default: '2048',
    schema: atLeastOne,
  },
  SANDGLASS_SCREENSHOTS_PER_NODE: {
    about:
      'MiB of screenshots that a node keeps in all. Above it, the oldest ones of the organization that has most are deleted. Without a bucket, this much disk is kept free of machines.',
    default: '4096',
    schema: atLeastOne,
  },
  SANDGLASS_S3_ENDPOINT: {
    about:
      'An S3-compatible storage for screenshots, used instead of the data directory. Requires the bucket and the keys below.',
    schema: webUrl.transform(url => url.replace(/\/+$/, '')),
  },
  SANDGLASS_S3_BUCKET: { about: 'The bucket for screenshots.', schema: z.string().min(1) },
  SANDGLASS_S3_REGION: {
    about: 'The region for which requests to the storage are signed.',
    default: 'us-east-1',
    schema: z.string().min(1),
  },
  SANDGLASS_S3_ACCESS_KEY_ID: {
    about: 'The access key id for the storage.',
    schema: z.string().min(1),
    secret: true,
  },
  SANDGLASS_S3_SECRET_ACCESS_KEY: {
    about: 'The secret access key for the storage.',
    schema: z.string().min(1),
    secret: true,
  },
} as const satisfies SettingTable
