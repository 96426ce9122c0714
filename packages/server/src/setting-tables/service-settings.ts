import { z } from 'zod'
import { SecretKeys } from '../auth/secret-keys.ts'
import { list, path, type SettingTable } from '../setting-table.ts'
import { port, webUrl } from './values.ts'

/** Where the service listens, what it stores its state in, and what it offers. */
export const serviceSettings = {
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
} as const satisfies SettingTable
