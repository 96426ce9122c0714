import { resolve } from 'node:path'
import { z } from 'zod'
import { SecretKeys } from './auth/secret-keys.ts'
import { BackupKey } from './backups/backup-key.ts'
import { backupPlace } from './backups/backup-place.ts'
import { keptKinds } from './backups/kept-kinds.ts'
import type { EngineDefinition } from './engines/engine-definition.ts'
import { registry } from './engines/registry.ts'
import { nearestName } from './environment/nearest-name.ts'
import {
  type Environment,
  list,
  path,
  readTable,
  type Setting,
  SettingError,
  type SettingTable,
  type SettingValues,
} from './setting-table.ts'

const port = z.coerce
  .number('must be a port from 0 to 65535')
  .int('must be a port from 0 to 65535')
  .min(0, 'must be a port from 0 to 65535')
  .max(65535, 'must be a port from 0 to 65535')

/** The live view needs two more UDP ports after its first. */
const lastUdpPort = 65_533

const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })

const atLeastOne = z.coerce
  .number('must be a whole number above 0')
  .int('must be a whole number above 0')
  .min(1, 'must be a whole number above 0')

/** The settings of the service itself. Each engine has its own table. */
export const settingTable = {
  SANDGLASS_CONFIG: {
    about:
      'A file with settings, one NAME=value per line. The environment wins over it (docs/deployment.md).',
    schema: path,
  },
  SANDGLASS_HOST: {
    about: 'The address to listen on. If it is a loopback address, the Host header of requests is checked.',
    default: '127.0.0.1',
    schema: z.string().min(1),
  },
  SANDGLASS_PORT: {
    about: 'The port to listen on; 0 picks a free port.',
    default: '4780',
    schema: port,
  },
  SANDGLASS_DATA: {
    about: "The data directory. It holds the embedded database, the credentials and this node's identity.",
    default: 'data',
    schema: path,
  },
  DATABASE_URL: {
    about:
      'The URL of your own PostgreSQL, version 15 or newer. If it is not set, an embedded PostgreSQL runs in the data directory.',
    schema: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }),
    secret: true,
  },
  SANDGLASS_DATABASE_OWNER_URL: {
    about:
      'The URL of the same database for the role that owns its tables and migrates them. With it, the role in DATABASE_URL needs no other rights than those that the owner grants it, and cannot change the audit log.',
    schema: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }),
    secret: true,
  },
  SANDGLASS_SECRET_KEY: {
    about:
      'The secret key that tokens and encryption are derived from, as `npm run secret-key -- --new` prints it. Several are separated by commas, newest first. All processes of a database need the same.',
    schema: z.string().transform((text, context) => {
      const keys = SecretKeys.parse(text)
      if (keys) return keys
      context.addIssue('must be keys as npm run secret-key -- --new prints them, separated by commas')
      return z.NEVER
    }),
    secret: true,
  },
  SANDGLASS_SECRET_KEY_FILE: {
    about:
      'A file with the secret key, one per line, newest first. If neither is set, the file secret-key in the data directory is used, and created by the first start on a new database.',
    schema: path,
    file: true,
  },
  SANDGLASS_PUBLIC_URL: {
    about: 'The URL that clients use to reach the service, if it differs from the address it listens on.',
    schema: webUrl.transform(url => url.replace(/\/+$/, '')),
  },
  SANDGLASS_ALLOWED_HOSTS: {
    about: 'Additional Host names to accept on a loopback address, separated by commas.',
    default: '',
    schema: list,
  },
  SANDGLASS_TLS_CERT: {
    about: 'A PEM file with the TLS certificate chain. Requires SANDGLASS_TLS_KEY.',
    schema: z.string().min(1),
    file: true,
  },
  SANDGLASS_TLS_KEY: {
    about: 'A PEM file with the TLS private key. Requires SANDGLASS_TLS_CERT.',
    schema: z.string().min(1),
    file: true,
  },
  SANDGLASS_TRUSTED_PROXIES: {
    about:
      'Addresses or CIDR ranges of proxies whose X-Forwarded-* headers are trusted, separated by commas.',
    default: '',
    schema: list.pipe(
      z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'must be addresses or CIDR ranges')),
    ),
  },
  SANDGLASS_CORS_ORIGINS: {
    about:
      'Origins of web pages that may call the API, separated by commas. CORS is off if the list is empty.',
    default: '',
    schema: list.pipe(z.array(webUrl)),
  },
  SANDGLASS_EMBED_ORIGINS: {
    about:
      'Origins of web pages that may show the live view in an <iframe>, separated by commas; * allows any.',
    default: '*',
    schema: list.pipe(z.array(z.union([z.literal('*'), webUrl], 'must be http or https origins, or *'))),
  },
  SANDGLASS_SHAPES: {
    about: 'A JSON file with a catalogue of shapes, which replaces the built-in one.',
    schema: path,
    file: true,
  },
  SANDGLASS_APPLICATIONS: {
    about: 'A JSON file with a catalogue of applications, which replaces the built-in one.',
    schema: path,
    file: true,
  },
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
  SANDGLASS_BACKUP_TO: {
    about:
      'Where backups are kept (docs/backup.md): a folder, or s3://bucket/prefix in the storage of SANDGLASS_BACKUP_S3_ENDPOINT.',
    schema: backupPlace,
  },
  SANDGLASS_BACKUP_HOURS: {
    about:
      'After how many hours the service makes the next backup of the database and keys in SANDGLASS_BACKUP_TO. If it is not set, only `npm run backup` makes some.',
    schema: z.coerce
      .number('must be a number of hours, at most 8760')
      .positive('must be a number of hours, above 0')
      .max(8760, 'must be a number of hours, at most 8760'),
  },
  SANDGLASS_BACKUP_KEEP: {
    about: 'How many backups are kept in SANDGLASS_BACKUP_TO when the service adds one.',
    default: '14',
    schema: atLeastOne,
  },
  SANDGLASS_UPGRADE_BACKUPS: {
    about:
      'How many backups are kept that a newer version of the service makes of the database before it upgrades it; 0 makes none.',
    default: '3',
    schema: z.coerce
      .number('must be a whole number')
      .int('must be a whole number')
      .min(0, 'must be a whole number'),
  },
  SANDGLASS_BACKUP_KEY: {
    about:
      'The key with which backups are encrypted, as `npm run backup -- --new-key` prints it. Without a key, they are not encrypted.',
    schema: z.string().transform((text, context) => {
      const key = BackupKey.parse(text)
      if (key) return key
      context.addIssue('must be a key as npm run backup -- --new-key prints it')
      return z.NEVER
    }),
    secret: true,
  },
  SANDGLASS_BACKUP_INCLUDE: {
    about:
      'What backups made by the command contain besides the database and keys, separated by commas: images, snapshots, volumes.',
    default: '',
    schema: list.pipe(z.array(z.enum(keptKinds, `must be some of ${keptKinds.join(', ')}`))),
  },
  SANDGLASS_BACKUP_S3_ENDPOINT: {
    about: 'The S3-compatible storage of a bucket in SANDGLASS_BACKUP_TO. Requires the keys below.',
    schema: webUrl.transform(url => url.replace(/\/+$/, '')),
  },
  SANDGLASS_BACKUP_S3_REGION: {
    about: 'The region for which requests to the storage of backups are signed.',
    default: 'us-east-1',
    schema: z.string().min(1),
  },
  SANDGLASS_BACKUP_S3_ACCESS_KEY_ID: {
    about: 'The access key id for the storage of backups.',
    schema: z.string().min(1),
    secret: true,
  },
  SANDGLASS_BACKUP_S3_SECRET_ACCESS_KEY: {
    about: 'The secret access key for the storage of backups.',
    schema: z.string().min(1),
    secret: true,
  },
  SANDGLASS_DOORS: {
    about:
      'The doors for clients of other services, separated by commas: e2b (docs/e2b.md). none opens no door.',
    default: 'e2b',
    schema: list.pipe(z.array(z.enum(['e2b', 'none'], 'must be e2b or none'))),
  },
  SANDGLASS_RATE_LIMIT: {
    about: 'Requests per minute for each credential, per process.',
    default: '6000',
    schema: atLeastOne,
  },
  SANDGLASS_ORGANIZATION_SHARE: {
    about:
      'The percentage of the time of the thread that serves requests which one organization can use while others use it too, per process. Beyond it, its requests are answered with 429.',
    default: '25',
    schema: z.coerce.number().min(1).max(100),
  },
  SANDGLASS_FAILURE_LIMIT: {
    about: 'Invalid credentials per minute for each address, per process.',
    default: '60',
    schema: atLeastOne,
  },
  SANDGLASS_OIDC_ISSUER: {
    about: 'The OpenID Connect issuer whose bearer tokens are accepted.',
    schema: webUrl,
  },
  SANDGLASS_OIDC_AUDIENCE: {
    about: 'The audience that a token must contain. Required with SANDGLASS_OIDC_ISSUER.',
    schema: z.string().min(1),
  },
  SANDGLASS_OIDC_JWKS_URL: {
    about: "The URL of the issuer's keys. Defaults to the one in the issuer's discovery document.",
    schema: webUrl,
  },
  SANDGLASS_OIDC_ORG_CLAIM: {
    about: 'The claim that contains the organization id.',
    default: 'sandglass_org',
    schema: z.string().min(1),
  },
  SANDGLASS_OIDC_ROLE_CLAIM: {
    about: 'The claim that contains the role; a token without it has the role viewer.',
    default: 'sandglass_role',
    schema: z.string().min(1),
  },
  SANDGLASS_OIDC_CLIENT_ID: {
    about:
      'The client id of this service at the issuer, with which people sign in to its pages (docs/sign-in.md). Requires SANDGLASS_OIDC_ISSUER.',
    schema: z.string().min(1),
  },
  SANDGLASS_OIDC_CLIENT_SECRET: {
    about: 'The client secret of this service at the issuer. Not set for a public client, which has none.',
    schema: z.string().min(1),
    secret: true,
  },
  SANDGLASS_OIDC_NAME: {
    about: 'The name of the issuer on the sign-in page.',
    default: 'OpenID Connect',
    schema: z.string().min(1),
  },
  SANDGLASS_OIDC_SCOPE: {
    about:
      'What is requested from the issuer when people sign in, separated by spaces. Without openid there is no sign-in.',
    default: 'openid profile',
    schema: z
      .string()
      .refine(text => text.split(' ').includes('openid'), 'must contain openid, and be separated by spaces'),
  },
  SANDGLASS_SESSION_HOURS: {
    about: 'How many hours a person who signed in stays signed in at most.',
    default: '12',
    schema: z.coerce
      .number('must be a number of hours, at most 8760')
      .positive('must be a number of hours, above 0')
      .max(8760, 'must be a number of hours, at most 8760'),
  },
  SANDGLASS_SESSION_IDLE_MINUTES: {
    about: 'After how many minutes without any use a session ends. An open page uses its session.',
    default: '120',
    schema: z.coerce
      .number('must be a number of minutes, at least 2')
      .min(2, 'must be a number of minutes, at least 2'),
  },
  SANDGLASS_METRICS_PORT: {
    about:
      'A separate port for /metrics, open to everyone who can reach it. If it is not set, /metrics is on the main port and requires the key of the operator.',
    schema: port,
  },
  SANDGLASS_LOG_LEVEL: {
    about: 'The log level: trace, debug, info, warn, error or silent.',
    default: 'info',
    schema: z.enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
      'must be trace, debug, info, warn, error or silent',
    ),
  },
} as const satisfies SettingTable

export type Settings = SettingValues<typeof settingTable>

/**
 * Reads the settings of the service from an environment. It throws a {@link SettingError} for an invalid or unknown
 * setting, including an invalid setting of an engine that is not used.
 */
export function readSettings(env: Environment, engines: readonly EngineDefinition[] = registry): Settings {
  requireKnown(env, engines)
  const values = readTable(settingTable, env)
  for (const { settings } of engines) readTable(settings, env)
  requireTogether(values, ['SANDGLASS_TLS_CERT', 'SANDGLASS_TLS_KEY'])
  requireTogether(values, [
    'SANDGLASS_S3_ENDPOINT',
    'SANDGLASS_S3_BUCKET',
    'SANDGLASS_S3_ACCESS_KEY_ID',
    'SANDGLASS_S3_SECRET_ACCESS_KEY',
  ])
  requireTogether(values, [
    'SANDGLASS_BACKUP_S3_ENDPOINT',
    'SANDGLASS_BACKUP_S3_ACCESS_KEY_ID',
    'SANDGLASS_BACKUP_S3_SECRET_ACCESS_KEY',
  ])
  if (values.SANDGLASS_BACKUP_HOURS && !values.SANDGLASS_BACKUP_TO)
    throw new SettingError('SANDGLASS_BACKUP_HOURS requires SANDGLASS_BACKUP_TO.')
  if (values.SANDGLASS_OIDC_ISSUER)
    requireTogether(values, ['SANDGLASS_OIDC_ISSUER', 'SANDGLASS_OIDC_AUDIENCE'])
  if (values.SANDGLASS_OIDC_CLIENT_ID)
    requireTogether(values, ['SANDGLASS_OIDC_ISSUER', 'SANDGLASS_OIDC_CLIENT_ID'])
  if (values.SANDGLASS_OIDC_CLIENT_SECRET)
    requireTogether(values, ['SANDGLASS_OIDC_CLIENT_ID', 'SANDGLASS_OIDC_CLIENT_SECRET'])
  requireSeparateDomains(values)
  if (values.SANDGLASS_LIVE_UDP_PORT === undefined && values.SANDGLASS_PORT > lastUdpPort)
    throw new SettingError(
      `SANDGLASS_PORT leaves no room for the three UDP ports of the live view, which follow it; set SANDGLASS_LIVE_UDP_PORT as well.`,
    )
  if (values.SANDGLASS_SECRET_KEY && values.SANDGLASS_SECRET_KEY_FILE)
    throw new SettingError('Set SANDGLASS_SECRET_KEY or SANDGLASS_SECRET_KEY_FILE, not both.')
  if (values.SANDGLASS_DATABASE_OWNER_URL && !values.DATABASE_URL)
    throw new SettingError(
      'SANDGLASS_DATABASE_OWNER_URL requires DATABASE_URL, the URL of the same database for the service.',
    )
  return values
}

/** The first of the UDP ports of the live view. They follow the port of the API, so that two services do not collide. */
export const liveUdpPort = (
  settings: Pick<Settings, 'SANDGLASS_LIVE_UDP_PORT' | 'SANDGLASS_PORT'>,
): number | 'none' => settings.SANDGLASS_LIVE_UDP_PORT ?? settings.SANDGLASS_PORT

/** The files that settings name, as absolute paths, by setting. */
export function filesOfSettings(
  env: Environment,
  engines: readonly EngineDefinition[] = registry,
): Record<string, string> {
  const files: Record<string, string> = {}
  for (const [name, { file }] of knownSettings(engines))
    if (file && env[name]) files[name] = resolve(env[name])
  return files
}

export type KnownSettings = ReadonlyMap<string, Setting>

/** The settings of the service and of these engines, by name. */
export function knownSettings(engines: readonly EngineDefinition[] = registry): KnownSettings {
  const tables: readonly SettingTable[] = [settingTable, ...engines.map(({ settings }) => settings)]
  return new Map(tables.flatMap(table => Object.entries(table)))
}

/** The sentence about a name that is not a setting. */
export function unknownSetting(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known)
  const hint = nearest === undefined ? '' : ` Do you mean ${nearest}?`
  return `${name} is not a setting.${hint} docs/settings.md lists them all.`
}

/** The variables of clients, which a shell has after it has read data/env. The service does not use them. */
const clientVariables = [
  'SANDGLASS_URL',
  'SANDGLASS_ORG',
  'SANDGLASS_API_KEY',
  'SANDGLASS_PROFILE',
  'SANDGLASS_DEBUG',
]

function requireKnown(env: Environment, engines: readonly EngineDefinition[]): void {
  const known = knownSettings(engines)
  for (const name of Object.keys(env))
    if (name.startsWith('SANDGLASS_') && !known.has(name) && !clientVariables.includes(name))
      throw new SettingError(unknownSetting(name, known.keys()))
}

/** Only mapped ports are served below the domain of the mappings, so the API cannot be there. */
function requireSeparateDomains({
  SANDGLASS_MAPPING_DOMAIN: domain,
  SANDGLASS_PUBLIC_URL: url,
}: Settings): void {
  if (domain === undefined || url === undefined) return
  if (new URL(url).hostname.endsWith(`.${domain.replace(/:\d+$/, '')}`))
    throw new SettingError(
      `SANDGLASS_PUBLIC_URL is below SANDGLASS_MAPPING_DOMAIN, where only mapped ports answer; use a separate domain for mappings.`,
    )
}

function requireTogether(values: Settings, names: readonly (keyof Settings)[]): void {
  const missing = names.find(name => values[name] === undefined)
  if (missing !== undefined && names.some(name => values[name] !== undefined))
    throw new SettingError(`${missing} is missing: set ${names.join(' and ')} together.`)
}
