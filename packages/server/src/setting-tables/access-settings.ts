import { z } from 'zod'
import { list, type SettingTable } from '../setting-table.ts'
import { atLeastOne, port, webUrl } from './values.ts'

/** Who may call, how much, and what operators see. */
export const accessSettings = {
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
