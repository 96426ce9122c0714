import { z } from 'zod'
import { operation } from './operation.ts'
import { Role } from './role.ts'
import { Time } from './time.ts'

/** What a credential is: a key, a token of an OpenID Connect issuer, a trial token, or the key of the operator. */
export const CredentialKind = z.enum(['apiKey', 'user', 'trialToken', 'operator'])
export type CredentialKind = z.infer<typeof CredentialKind>

/** The caller, as the service knows it. */
export const Whoami = z
  .object({
    kind: CredentialKind,
    id: z.string().describe('The id of the key or token, or the subject of a user.'),
    name: z.string().nullable().describe('The name of the key or token, or of the user where it is known.'),
    role: Role.nullable().describe('Null for the operator, who belongs to no organization.'),
    organization: z.object({ id: z.string(), name: z.string() }).nullable(),
    planTier: z.int().nullable(),
    expiresAt: Time.nullable().describe('When the key or token expires; null if it does not.'),
    session: z
      .object({ id: z.string(), createdAt: Time, expiresAt: Time })
      .nullable()
      .describe('The session in which the call was made; null if it was made with the credential itself.'),
  })
  .meta({ id: 'Whoami' })
export type Whoami = z.infer<typeof Whoami>

/** A session of a person who is signed in. It stands for a key or token and can do what that one can do. */
export const Session = z
  .object({
    id: z.string(),
    createdAt: Time,
    lastUsedAt: Time.describe('Accurate to one minute.'),
    expiresAt: Time.describe('When it ends at the latest.'),
    address: z.string().describe('The address from which the person signed in.'),
    userAgent: z.string().nullable().describe('What the browser called itself.'),
    isCurrent: z.boolean().describe('Whether the call was made in this session.'),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

export const OrganizationSession = Session.extend({
  holder: z
    .object({ kind: CredentialKind, id: z.string(), name: z.string().nullable() })
    .describe('The key, token or user that the session stands for.'),
}).meta({ id: 'OrganizationSession' })
export type OrganizationSession = z.infer<typeof OrganizationSession>

export const SignInMethods = z
  .object({
    apiKey: z.boolean().describe('Whether people can sign in with an API key; always true.'),
    openIdConnect: z
      .object({ name: z.string().describe('The name of the issuer, for the button.') })
      .nullable()
      .describe('Null if no issuer is configured. People sign in with it at /sign-in/openid.'),
  })
  .meta({ id: 'SignInMethods' })
export type SignInMethods = z.infer<typeof SignInMethods>

export const SignInCode = z
  .object({
    code: z.string().describe('What createSession accepts once.'),
    url: z.string().describe('The link for a browser, which signs in with the code.'),
    expiresAt: Time,
  })
  .meta({ id: 'SignInCode' })
export type SignInCode = z.infer<typeof SignInCode>

const sessions = '/api/sessions'
const anyone = { to: 'anyone' } as const
const admin = { to: 'organization', role: 'admin' } as const

export const getWhoami = operation({
  id: 'getWhoami',
  tag: 'Credentials',
  summary: 'Show whom the credential of the call belongs to, and what it can do.',
  method: 'GET',
  path: '/api/whoami',
  access: anyone,
  response: Whoami,
  addition: true,
})

export const listSignInMethods = operation({
  id: 'listSignInMethods',
  tag: 'Credentials',
  summary: 'List the ways in which people can sign in to the pages of the service.',
  method: 'GET',
  path: '/api/sign-in',
  access: { to: 'public' },
  response: SignInMethods,
  addition: true,
})

export const createSession = operation({
  id: 'createSession',
  tag: 'Credentials',
  summary:
    'Sign in to the pages of the service. The response sets a cookie, which stands for the credential until one of them ends.',
  method: 'POST',
  path: sessions,
  access: { to: 'public' },
  body: z.union(
    [
      z.strictObject({
        apiKey: z
          .string()
          .min(1)
          .max(8192)
          .describe('An API key, a trial token, a token of the OpenID Connect issuer, or the operator key.'),
      }),
      z.strictObject({ code: z.string().min(1).max(200).describe('The code of a one-time sign-in link.') }),
    ],
    'must have either an apiKey or a code, as a text',
  ),
  response: Whoami,
  examples: [{ body: { code: '{signInCode}' } }],
  addition: true,
  errors: ['auth.INVALID', 'session.CODE_INVALID', 'session.FOREIGN_PAGE'],
})

export const listSessions = operation({
  id: 'listSessions',
  tag: 'Credentials',
  summary: 'List the sessions that stand for the credential of the call, newest first.',
  method: 'GET',
  path: sessions,
  access: anyone,
  response: z.array(Session),
  addition: true,
})

export const endSession = operation({
  id: 'endSession',
  tag: 'Credentials',
  summary:
    'End a session that stands for the credential of the call. The id `current` ends the session of the call, and clears its cookie.',
  method: 'DELETE',
  path: `${sessions}/{sessionId}`,
  access: anyone,
  addition: true,
  errors: ['session.NOT_FOUND'],
})

export const createSignInCode = operation({
  id: 'createSignInCode',
  tag: 'Credentials',
  summary:
    'Create a link with which a browser signs in as the caller. It works once, within 15 minutes, and cannot be created in a session.',
  method: 'POST',
  path: '/api/sign-in-codes',
  access: anyone,
  response: SignInCode,
  addition: true,
  errors: ['session.NEEDS_CREDENTIAL'],
})

export const listOrganizationSessions = operation({
  id: 'listOrganizationSessions',
  tag: 'Credentials',
  summary: 'List the sessions of everybody who is signed in to the organization, newest first.',
  method: 'GET',
  path: '/api/orgs/{orgId}/sessions',
  access: admin,
  response: z.array(OrganizationSession),
  addition: true,
})

export const endOrganizationSession = operation({
  id: 'endOrganizationSession',
  tag: 'Credentials',
  summary: 'End a session of the organization. It stops working on every node within a second.',
  method: 'DELETE',
  path: '/api/orgs/{orgId}/sessions/{sessionId}',
  access: admin,
  addition: true,
  errors: ['session.NOT_FOUND'],
})
