import * as protocol from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { answerAfterCredential } from '../../http/end-with-credential.ts'
import type { Offer, Rotations } from '../operator-keys/rotations.ts'
import { createKeyAs, revokeKeyAs, rotateKeyAs, updateKeyAs } from './service.ts'
import { selectKeys } from './store.ts'

const noOffer: Offer = async () => false

export function serveApiKeys(api: Api, db: Database, rotations: Rotations): void {
  api.serve(protocol.listApiKeys, ({ params }) => selectKeys(db, params.orgId))

  api.serve(protocol.createApiKey, ({ params, body, member, change }) =>
    change(async tx => {
      const key = await createKeyAs(tx, member.role, params.orgId, body)
      return { answer: key, target: key.id }
    }),
  )

  api.serve(protocol.updateApiKey, ({ params, body, member, change }) =>
    change(async tx => {
      const key = await updateKeyAs(tx, member.role, params.orgId, params.keyId, body)
      return { answer: key, target: key.id }
    }),
  )

  api.serve(protocol.rotateApiKey, async ({ params, body, member, reply, change }) => {
    answerAfterCredential(reply.raw)
    const { orgId, keyId } = params
    const rotate = (offer: Offer) =>
      change(async tx => {
        const key = await rotateKeyAs(tx, member.role, orgId, keyId, body.graceSeconds, offer)
        return { answer: key, target: keyId }
      })
    // Organizations whose keys are not in the file do not wait for each other.
    return (await rotations.concern(orgId)) ? rotations.run('apiKey', rotate) : rotate(noOffer)
  })

  api.serve(protocol.revokeApiKey, ({ params, member, change }) =>
    change(async tx => {
      await revokeKeyAs(tx, member.role, params.orgId, params.keyId)
      return { answer: undefined, target: params.keyId }
    }),
  )
}
