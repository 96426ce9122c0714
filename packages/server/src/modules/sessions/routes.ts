import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import type { Authenticator } from '../../auth/authenticator.ts'
import type { Principal } from '../../auth/principal.ts'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import type { OwnPages } from '../../http/own-pages.ts'
import { createCode, findCodeHolder, takeCode } from './codes.ts'
import { beginSession, keepSession, type SignIns } from './service.ts'
import {
  deleteOwnSession,
  deleteSessionOf,
  holderColumnsOf,
  selectOwnSessions,
  selectSessionsOf,
} from './store.ts'
import { describeCaller } from './whoami.ts'

export interface SessionParts {
  readonly authenticator: Pick<Authenticator, 'identify'>
  readonly pages: OwnPages
  readonly signIns: SignIns
  readonly idleSeconds: number
  /** The name of the OpenID Connect issuer that people can sign in with, if there is one. */
  readonly issuerName: string | undefined
  readonly publicUrl: () => string
}

/** Serves the operations for people who sign in to the pages of the service. */
export function serveSessions(api: Api, db: Database, parts: SessionParts): void {
  const { authenticator, pages, signIns, idleSeconds, issuerName, publicUrl } = parts

  api.serve(protocol.getWhoami, ({ principal }) => describeCaller(db, principal))

  api.servePublic(protocol.listSignInMethods, async () => ({
    apiKey: true,
    openIdConnect: issuerName === undefined ? null : { name: issuerName },
  }))

  api.servePublic(protocol.createSession, async ({ body, request, reply, changeAs }) => {
    pages.refuseOthers(request)
    const code = 'code' in body ? body.code : undefined
    const holder = 'apiKey' in body ? await holderOf(body.apiKey) : await findCodeHolder(db, body.code)
    if (!holder) throw new ApiError('session.CODE_INVALID')
    const begun = await changeAs(holder, async tx => {
      if (code !== undefined) await takeCode(tx, code)
      const session = await beginSession(tx, signIns, request, holder)
      return { answer: session, target: session.id }
    })
    keepSession(reply, signIns, begun)
    return describeCaller(db, begun.principal)
  })

  api.serve(protocol.listSessions, ({ principal }) =>
    selectOwnSessions(db, holderColumnsOf(principal, null), idleSeconds, principal.session?.id),
  )

  api.serve(protocol.endSession, async ({ params, principal, change, reply }) => {
    const current = principal.session?.id
    const id = params.sessionId === 'current' ? current : params.sessionId
    if (id === undefined)
      throw new ApiError('session.NOT_FOUND', { message: 'The call was not made in a session.' })
    await change(async tx => {
      const isEnded = await deleteOwnSession(tx, id, holderColumnsOf(principal, null))
      if (!isEnded) throw new ApiError('session.NOT_FOUND')
      return { answer: undefined, target: id }
    })
    if (id === current) signIns.cookie.clear(reply)
  })

  api.serve(protocol.createSignInCode, ({ principal, change, reply }) => {
    reply.header('cache-control', 'no-store')
    return change(async tx => ({
      answer: await createCode(tx, principal, publicUrl()),
      target: principal.id,
    }))
  })

  api.serve(protocol.listOrganizationSessions, ({ params, member }) =>
    selectSessionsOf(db, params.orgId, idleSeconds, member.session?.id),
  )

  api.serve(protocol.endOrganizationSession, async ({ params, member, change, reply }) => {
    await change(async tx => {
      const isEnded = await deleteSessionOf(tx, params.sessionId, params.orgId)
      if (!isEnded) throw new ApiError('session.NOT_FOUND')
      return { answer: undefined, target: params.sessionId }
    })
    if (params.sessionId === member.session?.id) signIns.cookie.clear(reply)
  })

  async function holderOf(credential: string): Promise<Principal> {
    const principal = await authenticator.identify(credential)
    if (!principal) throw new ApiError('auth.INVALID')
    return principal
  }
}
