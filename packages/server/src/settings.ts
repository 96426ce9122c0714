import { z } from 'zod'
import type { EngineDefinition } from './engines/engine-definition.ts'
import { registry } from './engines/registry.ts'
import {
  type Environment,
  list,
  path,
  readTable,
  SettingError,
  type SettingTable,
  type SettingValues,
} from './setting-table.ts'

const port = z.coerce
  .number('must be a port from 0 to 65535')
  .int('must be a port from 0 to 65535')
  .min(0, 'must be a port from 0 to 65535')
  .max(65535, 'must be a port from 0 to 65535')

const webUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' })

const atLeastOne = z.coerce
  .number('must be a whole number above 0')
  .int('must be a whole number above 0')
  .min(1, 'must be a whole number above 0')

/** The settings of the service itself; each engine has a table of its own. */
export const settingTable = {
  SANDGLASS_HOST: {
    about: 'The address to listen on. On a loopback address the Host header is checked.',
    default: '127.0.0.1',
    schema: z.string().min(1),
  },
  SANDGLASS_PORT: {
    about: 'The port to listen on; 0 takes a free one.',
    default: '4780',
    schema: port,
  },
  SANDGLASS_DATA: {
    about: 'The data directory: the embedded database, the credentials, the identity of this node.',
    default: 'data',
    schema: path,
  },
  DATABASE_URL: {
    about: 'A PostgreSQL of your own, 15 or newer; without it an embedded one runs in the data directory.',
    schema: z.url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// URL' }),
    secret: true,
  },
  SANDGLASS_PUBLIC_URL: {
    about: 'The URL by which clients reach the service, where it differs from the address it listens on.',
    schema: webUrl.transform(url => url.replace(/\/+$/, '')),
  },
  SANDGLASS_ALLOWED_HOSTS: {
    about: 'Further Host names to answer for on a loopback address, parted by commas.',
    default: '',
    schema: list,
  },
  SANDGLASS_TLS_CERT: {
    about: 'A PEM file with the TLS certificate chain; goes with SANDGLASS_TLS_KEY.',
    schema: z.string().min(1),
  },
  SANDGLASS_TLS_KEY: { about: 'A PEM file with the TLS private key.', schema: z.string().min(1) },
  SANDGLASS_TRUSTED_PROXIES: {
    about: 'Addresses or CIDR ranges of proxies whose X-Forwarded-* headers are believed, parted by commas.',
    default: '',
    schema: list.pipe(
      z.array(z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'must be addresses or CIDR ranges')),
    ),
  },
  SANDGLASS_CORS_ORIGINS: {
    about: 'Origins of web pages that may call the API, parted by commas. None: CORS is off.',
    default: '',
    schema: list.pipe(z.array(webUrl)),
  },
  SANDGLASS_EMBED_ORIGINS: {
    about: 'Origins of web pages that may show the live view in an <iframe>, parted by commas; * is any.',
    default: '*',
    schema: list.pipe(z.array(z.union([z.literal('*'), webUrl], 'must be http or https origins, or *'))),
  },
  SANDGLASS_SHAPES: {
    about: 'A catalogue of shapes in place of the one that comes with the service.',
    schema: path,
  },
  SANDGLASS_APPLICATIONS: {
    about: 'A catalogue of applications in place of the one that comes with the service.',
    schema: path,
  },
  SANDGLASS_DISK_RESERVE: {
    about:
      'MiB of disk to keep free. Below it the service makes no machines, writes no files into machines and is not ready.',
    default: '2048',
    schema: z.coerce
      .number('must be a whole number of MiB')
      .int('must be a whole number of MiB')
      .min(0, 'must be a whole number of MiB'),
  },
  SANDGLASS_PRIVATE_EGRESS: {
    about:
      'Private networks that a sandbox may be allowed to reach when its egress names them, parted by commas.',
    default: '',
    schema: list.pipe(z.array(z.cidrv4('must be IPv4 networks such as 10.1.0.0/16'))),
  },
  SANDGLASS_OUTBOUND_PRIVATE: {
    about:
      'Private networks that the service itself may call where a caller gives it a URL to fetch from or upload to, parted by commas.',
    default: '',
    schema: list.pipe(
      z.array(z.union([z.cidrv4(), z.cidrv6()], 'must be networks such as 10.1.0.0/16 or fd12::/32')),
    ),
  },
  SANDGLASS_MAPPING_DOMAIN: {
    about:
      'The domain below which each mapped port has a host name, with its port where that is not the usual: apps.example.org; its wildcard leads here. Without it: localhost.',
    schema: z
      .string()
      .regex(
        /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?(:[1-9]\d{0,4})?$/,
        'must be a domain in lower case, or domain:port',
      ),
  },
  SANDGLASS_MAPPING_CONNECTIONS: {
    about: 'Requests and WebSockets that may be open at a time through one mapped port.',
    default: '256',
    schema: atLeastOne,
  },
  SANDGLASS_ALL_MAPPING_CONNECTIONS: {
    about: 'The same for all mapped ports together, on each process.',
    default: '4096',
    schema: atLeastOne,
  },
  SANDGLASS_LIVE_URL: {
    about:
      'The URL by which viewers reach this process for the live view, where it is not SANDGLASS_PUBLIC_URL: its host is given out for every transport, the rest for WebSocket.',
    schema: webUrl,
  },
  SANDGLASS_LIVE_UDP_PORT: {
    about:
      'The first of three UDP ports for the live view: two for WebTransport and QUIC, and one for KCP. 0 takes free ones; none serves no UDP.',
    default: '4780',
    schema: z.union([z.literal('none'), port]),
  },
  SANDGLASS_ROOM_VIEWERS: {
    about: 'How many may look at one sandbox at a time.',
    default: '32',
    schema: atLeastOne,
  },
  SANDGLASS_LIVE_VIEWERS: {
    about: 'How many may look at sandboxes at a time, on each process.',
    default: '1024',
    schema: atLeastOne,
  },
  SANDGLASS_TAKEOVER: {
    about:
      'What happens to an agent that acts while a person has the control: refuse (409 at once), or wait (for some seconds, then 409).',
    default: 'refuse',
    schema: z.enum(['refuse', 'wait'], 'must be refuse or wait'),
  },
  SANDGLASS_NODE_URL: {
    about:
      'The URL by which other processes on the same database reach this one, where it differs from its address.',
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
  SANDGLASS_SCREENSHOT_HOURS: {
    about: 'How long a screenshot can be fetched by its URL, in hours.',
    default: '24',
    schema: z.coerce
      .number('must be a number of hours, at most 8760')
      .positive('must be a number of hours, above 0')
      .max(8760, 'must be a number of hours, at most 8760'),
  },
  SANDGLASS_S3_ENDPOINT: {
    about:
      'An S3-like storage for screenshots, in place of the data directory. Its bucket and keys go with it.',
    schema: webUrl.transform(url => url.replace(/\/+$/, '')),
  },
  SANDGLASS_S3_BUCKET: { about: 'The bucket for screenshots.', schema: z.string().min(1) },
  SANDGLASS_S3_REGION: {
    about: 'The region that requests to it are signed for.',
    default: 'us-east-1',
    schema: z.string().min(1),
  },
  SANDGLASS_S3_ACCESS_KEY_ID: {
    about: 'The access key for it.',
    schema: z.string().min(1),
    secret: true,
  },
  SANDGLASS_S3_SECRET_ACCESS_KEY: {
    about: 'The secret of that access key.',
    schema: z.string().min(1),
    secret: true,
  },
  SANDGLASS_RATE_LIMIT: {
    about: 'Requests a minute for each credential, on each process.',
    default: '6000',
    schema: atLeastOne,
  },
  SANDGLASS_FAILURE_LIMIT: {
    about: 'Invalid credentials a minute for each address, on each process.',
    default: '60',
    schema: atLeastOne,
  },
  SANDGLASS_OIDC_ISSUER: {
    about: 'The OpenID Connect issuer whose bearer tokens are taken.',
    schema: webUrl,
  },
  SANDGLASS_OIDC_AUDIENCE: {
    about: 'The audience that such a token must name; required with the issuer.',
    schema: z.string().min(1),
  },
  SANDGLASS_OIDC_JWKS_URL: {
    about: "The issuer's keys; without it the issuer's discovery document names them.",
    schema: webUrl,
  },
  SANDGLASS_OIDC_ORG_CLAIM: {
    about: 'The claim that holds the organization id.',
    default: 'sandglass_org',
    schema: z.string().min(1),
  },
  SANDGLASS_OIDC_ROLE_CLAIM: {
    about: 'The claim that holds the role; a token without it is a viewer.',
    default: 'sandglass_role',
    schema: z.string().min(1),
  },
  SANDGLASS_METRICS_PORT: {
    about:
      'A port of its own for /metrics, open to whoever reaches it. Without it: on the main port, for the operator.',
    schema: port,
  },
  SANDGLASS_LOG_LEVEL: {
    about: 'trace, debug, info, warn, error or silent.',
    default: 'info',
    schema: z.enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
      'must be trace, debug, info, warn, error or silent',
    ),
  },
} as const satisfies SettingTable

export type Settings = SettingValues<typeof settingTable>

/**
 * Reads the settings of the service from an environment. A wrong one, or one that does not exist, is a SettingError; so is
 * a wrong one of an engine, whether or not the engine is used.
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
  if (values.SANDGLASS_OIDC_ISSUER)
    requireTogether(values, ['SANDGLASS_OIDC_ISSUER', 'SANDGLASS_OIDC_AUDIENCE'])
  requireApart(values)
  return values
}

function requireKnown(env: Environment, engines: readonly EngineDefinition[]): void {
  const tables: readonly SettingTable[] = [settingTable, ...engines.map(({ settings }) => settings)]
  for (const name of Object.keys(env))
    if (name.startsWith('SANDGLASS_') && !tables.some(table => name in table))
      throw new SettingError(`${name} is not a setting. docs/settings.md lists them all.`)
}

/** Below the domain of the mappings answers nothing but mappings. */
function requireApart({ SANDGLASS_MAPPING_DOMAIN: domain, SANDGLASS_PUBLIC_URL: url }: Settings): void {
  if (domain === undefined || url === undefined) return
  if (new URL(url).hostname.endsWith(`.${domain.replace(/:\d+$/, '')}`))
    throw new SettingError(
      `SANDGLASS_PUBLIC_URL is below SANDGLASS_MAPPING_DOMAIN, where only mapped ports answer; give them a domain of their own.`,
    )
}

function requireTogether(values: Settings, names: readonly (keyof Settings)[]): void {
  const missing = names.find(name => values[name] === undefined)
  if (missing !== undefined && names.some(name => values[name] !== undefined))
    throw new SettingError(`${missing} is missing: set ${names.join(' and ')} together.`)
}
