import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import { newSecret } from '../../auth/secret.ts'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { expireSandboxesOfTrial } from '../../records/sandboxes.ts'
import type { Catalogue } from '../shapes/catalogue.ts'
import { insertTrialToken, maxTokens, revokeTrialTokenRow, selectTrialTokens } from './store.ts'

export function serveTrialTokens(api: Api, db: Database, shapes: Catalogue): void {
  api.serve(protocol.listTrialTokens, ({ params }) => selectTrialTokens(db, params.orgId))

  api.serve(protocol.createTrialToken, ({ params, body, member, change }) =>
    change(async tx => {
      for (const name of body.shapeNames) shapes.require(name, member)
      if ((await selectTrialTokens(tx, params.orgId)).length >= maxTokens)
        throw new ApiError('trialToken.TOO_MANY')
      const secret = newSecret('trialToken')
      const token = await insertTrialToken(tx, params.orgId, body, secret)
      return { answer: { ...token, trialToken: secret.text }, target: token.id }
    }),
  )

  api.serve(protocol.revokeTrialToken, ({ params, change }) =>
    change(async tx => {
      if (!(await revokeTrialTokenRow(tx, params.orgId, params.tokenId)))
        throw new ApiError('trialToken.NOT_FOUND')
      await expireSandboxesOfTrial(tx, params.tokenId)
      return { answer: undefined, target: params.tokenId }
    }),
  )
}
