import type { ErrorDefinition } from './definition.ts'

/** Errors of people who are signed in, and of signing in. */
export const sessionErrors = {
  'session.ENDED': {
    status: 401,
    message: 'The session has ended.',
    hint: 'Sign in again.',
  },
  'session.FOREIGN_PAGE': {
    status: 403,
    message: 'The session cookie is only accepted from the pages of the service itself.',
    hint: 'Send X-Sandglass-Session: 1 from a page of the service, or use an API key instead of the cookie.',
  },
  'session.NOT_FOUND': {
    status: 404,
    message: 'There is no such session.',
    hint: 'listSessions lists those of this credential.',
  },
  'session.CODE_INVALID': {
    status: 401,
    message: 'The sign-in link was already used or has expired.',
    hint: 'Get another one with "sandglass sign-in", or sign in with an API key.',
  },
  'session.NEEDS_CREDENTIAL': {
    status: 403,
    message: 'A sign-in link cannot be created in a session, because it would outlast the session.',
    hint: 'Make the call with the key or token itself.',
  },
  'session.ISSUER_REFUSED': {
    status: 401,
    message: 'The OpenID Connect issuer did not sign the person in.',
    hint: 'Try again, and ask the operator of the service if it happens again.',
  },
  'session.ISSUER_UNAVAILABLE': {
    status: 503,
    message: 'The OpenID Connect issuer does not answer.',
    hint: 'Try again later, or sign in with an API key.',
  },
  'session.ATTEMPT_INVALID': {
    status: 401,
    message: 'This sign-in was not begun in this browser, or it took too long.',
    hint: 'Begin again.',
  },
  'session.NO_ORGANIZATION': {
    status: 403,
    message: 'The OpenID Connect issuer names no organization or role of this service for the person.',
    hint: 'Ask the operator of the service to check the claims for the organization and the role.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>
